import { setTimeout } from 'node:timers/promises';
import { Command } from 'commander';
import { app } from '../../functions/app.ts';
import { recountCompany } from '../../functions/change-stream/service/recount.ts';
import { examples, ofCompany } from './argument.ts';
import { printList } from './output.ts';

/** Rebuilds the projections of a company from its items. */
export const recount = (): Command =>
  examples(
    ofCompany(new Command('recount').description('rebuild totals, lists and statistics of a company from its records; shows what differs'))
      .option('--write', 'put right what differs')
      .option('--wait <seconds>', 'until the change stream has caught up, before what differs is looked at again', '10'),
    'recount --company 1',
    'recount --company 1 --write',
  ).action(async ({ company, write, wait }: { company: number; write?: true; wait: string }, command: Command) => {
    const differences = await recountCompany(company, {
      reactions: app.flatMap((context) => context.reactions ?? []),
      recounts: app.flatMap((context) => context.recounts ?? []),
      shouldWrite: write === true,
      untilBrought: () => setTimeout(Number(wait) * 1_000),
    });
    printList(
      command,
      differences.map((each) => ({ ...each })),
      ['projection', 'pk', 'sk', 'stored', 'recounted', 'outcome'],
      'Nothing differs.',
    );
  });
