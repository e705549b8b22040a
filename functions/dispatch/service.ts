import { send } from '../../shared/queue/send.ts';
import type { Queue } from '../../shared/contract/queue.ts';
import { now } from '../../shared/runtime/clock.ts';
import { log } from '../../shared/runtime/log.ts';
import { dueShards } from '../../shared/table/due.ts';
import { dueWorks } from './contract.ts';
import { delaySeconds, stretch } from './domain.ts';
import { type Due, dueBetween, moveWatermark, watermark } from './store.ts';

/** Places everything due up to the horizon, then moves the watermark; a crash before that places some of it again. */
export const tick = async (): Promise<void> => {
  const startedAt = now();
  const { fromMs, toMs } = stretch(await watermark(), startedAt);
  const counts = await Promise.all(Array.from({ length: dueShards }, (_, shard) => placeShard(shard, fromMs, toMs)));
  await moveWatermark(toMs);
  const count = counts.reduce((sum, each) => sum + each, 0);
  if (count > 0) log.info('Due work placed', { count, ms: now() - startedAt });
};

/** Puts due work on its queues with the delay that is left. Also called by the stream consumer for work that is due soon. */
export const place = async (dues: readonly Due[]): Promise<void> => {
  const byQueue = new Map<Queue, Parameters<typeof send>[1][number][]>();
  for (const due of dues) {
    const work = dueWorks.find((each) => each.name === due.what);
    if (!work) throw new Error(`No due work is called ${due.what}.`);
    const messages = byQueue.get(work.queue) ?? [];
    messages.push({
      companyId: work.companyOf(due.reference),
      message: work.message(due.reference, due.dueAtMs),
      delaySeconds: delaySeconds(due.dueAtMs, now()),
    });
    byQueue.set(work.queue, messages);
  }
  await Promise.all([...byQueue].map(([queue, messages]) => send(queue, messages)));
};

async function placeShard(shard: number, fromMs: number, toMs: number): Promise<number> {
  let count = 0;
  let after: Record<string, unknown> | undefined;
  do {
    const page = await dueBetween(shard, fromMs, toMs, after);
    await place(page.due);
    count += page.due.length;
    after = page.last;
  } while (after);
  return count;
}
