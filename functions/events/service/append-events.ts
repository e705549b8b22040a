import { dayMs, now } from '../../../shared/runtime/clock.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { conflict, Conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { StoredEvents } from '../contract/stored.ts';
import { logDays, type LoggedChange, newChanges, nextItem } from '../domain/log.ts';
import { createEvents, getLastEvents, startLog } from '../store/events.ts';

export type { LoggedChange };

type Tail = Pick<StoredEvents, 'place' | 'checkpoints'>;

/** The end of each log as this process wrote it: most often still the end. Another writer shows by a refused write. */
const tails = processMap<number, Tail>();
const maxTails = 10_000;
const maxAttempts = 40;

/**
 * Appends the events of a batch of one shard to the logs of their companies, each exactly once and in the order of the shard. An item is
 * written behind the last one on the condition that its place is free, with the checkpoints of all shards up to there: so the places have no
 * gap, and a batch that comes again finds its events. 1 WRU for up to 1 KB of events.
 */
export const appendEvents = async (byCompany: ReadonlyMap<number, readonly LoggedChange[]>, shardId: string): Promise<void> => {
  await Promise.all([...byCompany].map(([companyId, changes]) => appendToLog(companyId, shardId, changes)));
};

async function appendToLog(companyId: number, shardId: string, changes: readonly LoggedChange[]): Promise<void> {
  return retryOnConflict(
    maxAttempts,
    async () => {
      let tail = tails.get(companyId) ?? (await getLastEvents(companyId));
      let left = newChanges(tail ?? { checkpoints: {} }, shardId, changes);
      while (left.length > 0) {
        const place = tail ? tail.place + 1 : await startLog(companyId, now(), now() - (logDays + 1) * dayMs);
        const { item, rest } = nextItem(companyId, place, tail ?? { checkpoints: {} }, shardId, left);
        if (!(await createEvents(item))) {
          tails.delete(companyId);
          return conflict;
        }
        tail = { place, checkpoints: item.checkpoints };
        left = rest;
        if (tails.size >= maxTails) tails.clear();
        tails.set(companyId, tail);
      }
      return undefined;
    },
    () => {
      throw new Conflict(`The event log of company ${companyId} was written by others ${maxAttempts} times.`);
    },
  );
}
