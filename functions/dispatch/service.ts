import type { Queue } from '../../shared/contract/queue.ts';
import { type Outgoing, send } from '../../shared/queue/send.ts';
import { now } from '../../shared/runtime/clock.ts';
import { log } from '../../shared/runtime/log.ts';
import { duePartitions } from '../../shared/table/due.ts';
import { due as dueWork } from './registry.generated.ts';
import { delaySeconds, partitionFrom, placementWindow, secondLook } from './domain.ts';
import { deleteReplay, type Due, getDispatchState, listDueWork, putReplay, type Replay, updateWatermark } from './store.ts';

export { streamPlacementMs } from './domain.ts';
/** The time up to which due work is enqueued, epoch milliseconds; undefined before the first tick. */
export { getWatermark } from './store.ts';

/** Places everything due up to the horizon, then moves the watermark; a crash before that places some of it again. */
export const placeDueWork = async (): Promise<void> => {
  const startedAt = now();
  const { watermark, partitions: known, skippedToMs, replays } = await getDispatchState();
  const partitions = Math.max(known, duePartitions());
  const { fromMs, toMs } = placementWindow(watermark, startedAt);
  for (const replay of replays) await placeAgain(replay, partitions, toMs);
  // a clock ahead of this one has placed all of it
  if (toMs < fromMs) return;
  const earlier = secondLook({ fromMs, toMs }, skippedToMs);
  const counts = await Promise.all(
    Array.from({ length: partitions }, async (_, partition) => {
      const placed = await placePartition(partition, Math.max(skippedToMs, partitionFrom(fromMs, startedAt, partition >= known)), toMs);
      return placed + (await placePartition(partition, earlier.fromMs, earlier.toMs));
    }),
  );
  await updateWatermark(toMs, partitions);
  const count = counts.reduce((sum, each) => sum + each, 0);
  if (count > 0) log.info('Due work placed', { count, ms: now() - startedAt });
};

/** What fell due for a company since then, and stayed so, is placed once more by the next tick: workers left it while the company was suspended. */
export const placeDueWorkAgain = (companyId: number, fromMs: number): Promise<void> => putReplay({ companyId, fromMs });

async function placeAgain(replay: Replay, partitions: number, toMs: number): Promise<void> {
  let count = 0;
  for (let partition = 0; partition < partitions; partition++) {
    for await (const due of listDueWork(partition, replay.fromMs, toMs)) {
      const own = due.filter((each) => workOf(each).companyOf(each.reference) === replay.companyId);
      await enqueueDueWork(own);
      count += own.length;
    }
  }
  await deleteReplay(replay);
  log.info('Due work of a resumed company placed again', { company_id: replay.companyId, count });
}

/** The message that wakes due work, with the delay that is left. Also for the stream consumer, which places what is due soon itself. */
export const placementOf = (due: Due, nowMs: number): Required<Outgoing> & { queue: Queue } => {
  const work = workOf(due);
  return {
    queue: work.queue,
    companyId: work.companyOf(due.reference),
    message: work.message(due.reference, due.dueAtMs),
    delaySeconds: delaySeconds(due.dueAtMs, nowMs),
  };
};

function workOf({ what }: Due) {
  const work = dueWork.find((each) => each.name === what);
  if (!work) throw new Error(`No due work is called ${what}.`);
  return work;
}

async function enqueueDueWork(dues: readonly Due[]): Promise<void> {
  const byQueue = Map.groupBy(
    dues.map((due) => placementOf(due, now())),
    ({ queue }) => queue,
  );
  await Promise.all([...byQueue].map(([queue, messages]) => send(queue, messages)));
}

async function placePartition(partition: number, fromMs: number, toMs: number): Promise<number> {
  let count = 0;
  for await (const due of listDueWork(partition, fromMs, toMs)) {
    await enqueueDueWork(due);
    count += due.length;
  }
  return count;
}
