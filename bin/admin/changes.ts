import { Command } from 'commander';
import { listSetAsideChanges, retrySetAsideChanges } from '../../functions/changes/service/set-aside.ts';
import { isoTime } from '../../shared/runtime/clock.ts';
import { examples } from './argument.ts';
import { Failure } from './failure.ts';
import { printList, printRecord } from './output.ts';

/** Stored changes that no reaction could carry out. */
export const changes = (): Command => {
  const noun = new Command('changes').description('stored changes that could not be carried out and were set aside');
  examples(noun, 'changes list', 'changes retry');
  examples(noun.command('list').description('list them, with the kind of item and the error'), 'changes list').action(
    async (_: object, command: Command) => {
      const rows = (await listSetAsideChanges()).map(({ eventId, of, error, at, record, retriedAt }) => ({
        id: eventId,
        item: of,
        error,
        at: isoTime(at),
        retried_at: retriedAt === undefined ? null : isoTime(retriedAt),
        can_be_retried: record !== undefined,
      }));
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
  return noun;
};
