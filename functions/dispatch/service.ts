import type { Queue } from '../../shared/contract/queue.ts';
import { type Outgoing, send } from '../../shared/queue/send.ts';
import { now } from '../../shared/runtime/clock.ts';
import { log } from '../../shared/runtime/log.ts';
import { dueShards } from '../../shared/table/due.ts';
import { due as dueWork } from './registry.generated.ts';
import { delaySeconds, placementWindow } from './domain.ts';
import { type Due, listDueWork, updateWatermark, getWatermark } from './store.ts';

export { streamPlacementMs } from './domain.ts';
/** The time up to which due work is enqueued, epoch milliseconds; undefined before the first tick. */
export { getWatermark } from './store.ts';

/** Places everything due up to the horizon, then moves the watermark; a crash before that places some of it again. */
export const placeDueWork = async (): Promise<void> => {
  const startedAt = now();
  const { fromMs, toMs } = placementWindow(await getWatermark(), startedAt);
  // a clock ahead of this one has placed all of it
  if (toMs < fromMs) return;
  const counts = await Promise.all(Array.from({ length: dueShards }, (_, shard) => placeShard(shard, fromMs, toMs)));
  await updateWatermark(toMs);
  const count = counts.reduce((sum, each) => sum + each, 0);
  if (count > 0) log.info('Due work placed', { count, ms: now() - startedAt });
};

/** The message that wakes due work, with the delay that is left. Also for the stream consumer, which places what is due soon itself. */
export const placementOf = (due: Due, nowMs: number): Required<Outgoing> & { queue: Queue } => {
  const work = dueWork.find((each) => each.name === due.what);
  if (!work) throw new Error(`No due work is called ${due.what}.`);
  return {
    queue: work.queue,
    companyId: work.companyOf(due.reference),
    message: work.message(due.reference, due.dueAtMs),
    delaySeconds: delaySeconds(due.dueAtMs, nowMs),
  };
};

async function enqueueDueWork(dues: readonly Due[]): Promise<void> {
  const byQueue = Map.groupBy(
    dues.map((due) => placementOf(due, now())),
    ({ queue }) => queue,
  );
  await Promise.all([...byQueue].map(([queue, messages]) => send(queue, messages)));
}

async function placeShard(shard: number, fromMs: number, toMs: number): Promise<number> {
  let count = 0;
  for await (const due of listDueWork(shard, fromMs, toMs)) {
    await enqueueDueWork(due);
    count += due.length;
  }
  return count;
}
