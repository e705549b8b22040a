import { setTimeout } from 'node:timers/promises';
import { Command } from 'commander';
import { app } from '../../functions/app.ts';
import { recountCompany } from '../../functions/change-stream/service/recount.ts';
import { asCountUpTo, examples, ofCompany } from './argument.ts';
import { printList } from './output.ts';

/** Rebuilds the projections of a company from its items. */
export const recount = (): Command =>
  examples(
    ofCompany(new Command('recount').description('rebuild totals, lists and statistics of a company from its records; shows what differs'))
      .option('--write', 'put right what differs')
      .option('--wait <seconds>', 'until the change stream has caught up, before what differs is looked at again', '10')
      .option('--segments <n>', `parts of the table that are read side by side, ${mostSegments} at most`, asCountUpTo(mostSegments), 4),
    'recount --company 1',
    'recount --company 1 --write',
    'recount --company 1 --segments 16',
  ).action(async ({ company, write, wait, segments }: RecountInput, command: Command) => {
    const differences = await recountCompany(company, {
      reactions: app.flatMap((context) => context.reactions ?? []),
      recounts: app.flatMap((context) => context.recounts ?? []),
      shouldWrite: write === true,
      untilBrought: () => setTimeout(Number(wait) * 1_000),
      segments,
    });
    printList(
      command,
      differences.map((each) => ({ ...each })),
      ['projection', 'pk', 'sk', 'stored', 'recounted', 'outcome'],
      'Nothing differs.',
    );
  });

interface RecountInput {
  company: number;
  write?: true;
  wait: string;
  segments: number;
}

/** More would bring what one process cannot take in, and would leave less of the table to its other callers. */
const mostSegments = 32;
