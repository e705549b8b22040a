import { Command } from 'commander';
import type { UsageFigures } from '../../functions/administration/contract/usage.ts';
import { defined } from '../../shared/runtime/defined.ts';
import { accountOf, ofAccount } from './account-access.ts';
import { examples } from './argument.ts';
import { must } from './failure.ts';
import { type PrintableRecord, printList, wantsJson } from './output.ts';

/** What a company used, by UTC day. */
export const usage = (): Command =>
  examples(
    ofAccount(new Command('usage').description('messages and verification requests of a company by UTC day'))
      .option('--from <date>', 'the first day; default: 29 days before the last')
      .option('--to <date>', 'the last day; default: today'),
    'usage --company 1',
    'usage --company 1 --from 2026-11-01 --to 2026-11-30 --json',
  ).action(async ({ company, from, to }: { company?: number; from?: string; to?: string }, command: Command) => {
    const record = await must(accountOf(command, company).getUsage(defined({ from, to })), company);
    if (wantsJson(command)) return void process.stdout.write(`${JSON.stringify(record, null, 2)}\n`);
    const rows = [...record.days.flatMap(({ date, ...figures }) => toRows(date, figures)), ...toRows('all days', record.totals)];
    printList(command, rows, ['day', 'what', 'status', 'billable', 'count'], 'Nothing was used in these days.');
  });

function toRows(day: string, { messages, verifications }: UsageFigures): PrintableRecord[] {
  return [
    ...messages.map(({ category, status, billable, count }) => ({ day, what: `messages, ${category}`, status, billable, count })),
    ...verifications.map(({ channel, status, count }) => ({ day, what: `verifications by ${channel}`, status, billable: null, count })),
  ];
}
