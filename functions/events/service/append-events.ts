import { logCheckpoints } from '../../../shared/events/checkpoints.ts';
import { dayMs, now } from '../../../shared/runtime/clock.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { conflict, Conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { StoredEvents } from '../contract/stored.ts';
import { logDays, type LoggedChange, newChanges, nextItem } from '../domain/log.ts';
import { createEvents, getLastEvents, startLog } from '../store/events.ts';

export type { LoggedChange };

/** A shard of the change stream, and up to which records shards say that they are done, read when it is needed. */
export interface LoggingShard {
  shardId: string;
  /** Consistent. */
  getConfirmed: () => Promise<bigint | undefined>;
  /** By the names that stand in checkpoints. */
  listConfirmed: (names: readonly string[]) => Promise<ReadonlyMap<string, bigint>>;
}

type Tail = Pick<StoredEvents, 'place' | 'checkpoints'>;

/** The end of each log as this process wrote it: most often still the end. Another writer shows by a refused write. */
const tails = processMap<number, Tail>();
const maxTails = 10_000;
const maxAttempts = 40;

/**
 * Appends the events of a batch of one shard to the log of their company, each exactly once and in the order of the shard. An item is
 * written behind the last one on the condition that its place is free, with the checkpoints of the shards at work up to there: so the places
 * have no gap, and a batch that comes again finds its events. 1 WRU for up to 1 KB of events.
 *
 * True: more shards write to the log than its items have place for, and the shard is to confirm once the batch is done with.
 */
export const appendEvents = (companyId: number, shard: LoggingShard, changes: readonly LoggedChange[]): Promise<boolean> => {
  const { shardId } = shard;
  return retryOnConflict(
    maxAttempts,
    async () => {
      let tail = tails.get(companyId) ?? (await getLastEvents(companyId));
      // after the end: what it shows to be dropped was confirmed before
      const confirmed = tail && logCheckpoints.needsConfirmation(tail.checkpoints, shardId) ? await shard.getConfirmed() : undefined;
      let left = newChanges(tail ?? { checkpoints: {} }, shardId, changes, confirmed);
      const surplus = tail && left.length > 0 ? logCheckpoints.surplusShards(tail.checkpoints, shardId) : [];
      const others = surplus.length > 0 ? await shard.listConfirmed(surplus) : new Map<string, bigint>();
      while (left.length > 0) {
        const place = tail ? tail.place + 1 : await startLog(companyId, now(), now() - (logDays + 1) * dayMs);
        const { item, rest } = nextItem(
          companyId,
          place,
          { checkpoints: logCheckpoints.withoutConfirmed(tail?.checkpoints ?? {}, others) },
          shardId,
          left,
        );
        if (!(await createEvents(item))) {
          tails.delete(companyId);
          return conflict;
        }
        tail = { place, checkpoints: item.checkpoints };
        left = rest;
        if (tails.size >= maxTails) tails.clear();
        tails.set(companyId, tail);
      }
      return tail !== undefined && logCheckpoints.surplusShards(tail.checkpoints, shardId).length > 0;
    },
    () => {
      throw new Conflict(`The event log of company ${companyId} was written by others ${maxAttempts} times.`);
    },
  );
};
