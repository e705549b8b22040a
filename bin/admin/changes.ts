import { Command } from 'commander';
import { app } from '../../functions/app.ts';
import { replayChanges } from '../../functions/change-stream/service/replay-changes.ts';
import { listSetAsideChanges, retrySetAsideChanges } from '../../functions/change-stream/service/set-aside.ts';
import { listFirstDelayed } from '../../functions/change-stream/store/delayed-batch.ts';
import { isoTime } from '../../shared/runtime/clock.ts';
import { asId, asTime, examples } from './argument.ts';
import { Failure } from './failure.ts';
import { printList, printRecord } from './output.ts';

/** Stored changes that no reaction could carry out, or that the stream forgot. */
export const changes = (): Command => {
  const noun = new Command('changes').description('stored changes that could not be carried out and were set aside');
  examples(noun, 'changes list', 'changes retry');
  examples(noun.command('list').description('list them, with the kind of item and the error'), 'changes list').action(
    async (_: object, command: Command) => {
      const refused = (await listSetAsideChanges()).map(({ eventId, of, error, at, record, retriedAt }) => ({
        id: eventId,
        item: of,
        error,
        at: isoTime(at),
        retried_at: retriedAt === undefined ? null : isoTime(retriedAt),
        can_be_retried: record !== undefined,
      }));
      // carried out by themselves, once the rows take writes again
      const waiting = (await listFirstDelayed()).map(({ companyId, at, first }) => ({
        id: `${companyId}/${first}`,
        item: `changes of company ${companyId}`,
        error: 'Waiting',
        at: isoTime(at),
        retried_at: null,
        can_be_retried: false,
      }));
      const rows = [...refused, ...waiting];
      printList(command, rows, ['id', 'item', 'error', 'at', 'retried_at', 'can_be_retried'], 'Nothing is set aside.');
    },
  );
  examples(
    noun.command('retry').description('carry them out again, after their cause is mended').argument('[id]', 'one of them'),
    'changes retry',
  ).action(async (id: string | undefined, _: object, command: Command) => {
    const requested = await retrySetAsideChanges(id);
    if (id !== undefined && requested === 0) throw new Failure(`There is no change ${id} that can be carried out again.`);
    printRecord(command, { requested });
  });
  examples(
    noun
      .command('replay')
      .description('carry out what the stream forgot in a day without its consumer, from the items themselves; then run recount')
      .requiredOption('--since <time>', 'the first change that was lost', asTime)
      .requiredOption('--until <time>', 'the last change that was lost', asTime)
      .option('--company <id>', 'one company; default: all', asId),
    'changes replay --since 2026-11-21T12:00:00Z --until 2026-11-21T13:30:00Z',
  ).action(async ({ since, until, company }: { since: number; until: number; company?: number }, command: Command) => {
    if (until < since) throw new Failure('The time until must not lie before the time since.');
    const reactions = app.flatMap((context) => context.reactions ?? []);
    printRecord(command, { ...(await replayChanges({ sinceMs: since, untilMs: until }, { companyId: company, reactions })) });
  });
  return noun;
};
