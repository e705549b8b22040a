import type { Queue } from '../../shared/contract/queue.ts';
import { type Outgoing, send } from '../../shared/queue/send.ts';
import { now } from '../../shared/runtime/clock.ts';
import { log, metric } from '../../shared/runtime/log.ts';
import type { DueWork } from '../../shared/events/due.ts';
import { duePartitions } from '../../shared/table/due.ts';
import { restoreState } from '../../shared/table/restored-copy.ts';
import { due as dueWork } from './registry.generated.ts';
import { delaySeconds, partitionFrom, placementWindow, secondLook } from './domain.ts';
import {
  deleteReplay,
  type DispatchState,
  type Due,
  getDispatchState,
  listDueWork,
  type Progress,
  putProgress,
  putReplay,
  type Replay,
  updateWatermark,
} from './store.ts';

export { streamPlacementMs } from './domain.ts';
/** The time up to which due work is enqueued, epoch milliseconds; undefined before the first tick. */
export { getWatermark } from './store.ts';

/**
 * Places everything due up to the horizon, then moves the watermark, then what resumed companies left: a company's week comes after everyone's
 * minute. Where there is more than a page, how far each partition is is stored as it goes, so a tick that ends early is gone on with.
 */
export const placeDueWork = async (): Promise<void> => {
  if ((await restoreState()) !== 'open') return log.warn('The restored table is not open: due work waits');
  const startedAt = now();
  const state = await getDispatchState();
  const partitions = Math.max(state.partitions, duePartitions());
  const window = placementWindow(state.watermark, startedAt);
  const tick: Tick = { startedAt, partitions, progress: state.progress, left: new Map(Object.entries(state.left)) };
  // a clock ahead of this one has placed all of it
  if (window.toMs >= window.fromMs) await placeWindow(tick, state, window);
  for (const replay of state.replays) {
    if (!isInTime(tick)) break;
    const fromMs = Math.max(replay.fromMs, state.skippedToMs);
    await placeAgain(tick, replay, { fromMs, toMs: window.toMs });
  }
};

interface Tick {
  startedAt: number;
  partitions: number;
  progress: readonly Progress[];
  /** By the name of work that this version does not know: since when some is left. */
  left: Map<string, number>;
}

/** A tick leaves the rest of a replay to the next one in time before its function ends. */
const replayTurnMs = 40_000;
const isInTime = ({ startedAt }: Tick): boolean => now() - startedAt < replayTurnMs;

async function placeWindow(tick: Tick, state: DispatchState, { fromMs, toMs }: { fromMs: number; toMs: number }): Promise<void> {
  const { skippedToMs, partitions: known } = state;
  const earlier = secondLook({ fromMs, toMs }, skippedToMs);
  const again = [...tick.left].filter(([what]) => isKnown(what));
  const walk = `${fromMs}`;
  const counts = await inEachPartition(tick, async (partition) => {
    const from = Math.max(skippedToMs, partitionFrom(fromMs, tick.startedAt, partition >= known));
    let count = 0;
    const place = async (due: readonly Due[]): Promise<void> => {
      count += await enqueueDueWork(due, tick);
    };
    await walkPartition(tick, { walk, partition, fromMs: from, toMs }, place);
    for await (const due of listDueWork(partition, earlier.fromMs, earlier.toMs)) await place(due);
    for (const [what, leftFromMs] of again)
      for await (const due of listDueWork(partition, Math.max(skippedToMs, leftFromMs), fromMs))
        await place(due.filter((each) => each.what === what));
    return count;
  });
  for (const [what] of again) tick.left.delete(what);
  await updateWatermark(toMs, tick.partitions, Object.fromEntries(tick.left));
  const count = counts.reduce((sum, each) => sum + each, 0);
  if (count > 0) log.info('Due work placed', { count, ms: now() - tick.startedAt });
}

const inEachPartition = <T>({ partitions }: Tick, work: (partition: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: partitions }, (_, partition) => work(partition)));

/** What fell due for a company since then, and stayed so, is placed once more by the next tick: workers left it while the company was suspended. */
export const placeDueWorkAgain = (companyId: number, fromMs: number): Promise<void> => putReplay({ companyId, fromMs, at: now() });

async function placeAgain(tick: Tick, replay: Replay, { fromMs, toMs }: { fromMs: number; toMs: number }): Promise<void> {
  const walk = `${replay.companyId}@${replay.at ?? replay.fromMs}`;
  let count = 0;
  for (let partition = 0; partition < tick.partitions; partition++) {
    const isWhole = await walkPartition(tick, { walk, partition, fromMs, toMs, isTimed: true }, async (due) => {
      count += await enqueueDueWork(
        due.filter((each) => workOf(each)?.companyOf(each.reference) === replay.companyId),
        tick,
      );
    });
    if (!isWhole) return;
    await putProgress({ walk, partition, placedToMs: toMs, at: now() });
  }
  await deleteReplay(replay);
  log.info('Due work of a resumed company placed again', { company_id: replay.companyId, count });
}

interface Walk {
  walk: string;
  partition: number;
  fromMs: number;
  toMs: number;
  isTimed?: true;
}

/** Page by page, from where a tick before stopped; between two pages it stores how far it is. False: the tick's time is over. */
async function walkPartition(
  tick: Tick,
  { walk, partition, fromMs, toMs, isTimed }: Walk,
  place: (due: readonly Due[]) => Promise<void>,
): Promise<boolean> {
  const known = tick.progress.find((each) => each.walk === walk && each.partition === partition);
  let before: number | undefined;
  for await (const due of listDueWork(partition, Math.max(fromMs, known?.placedToMs ?? 0), toMs)) {
    if (before !== undefined) {
      await putProgress({ walk, partition, placedToMs: before, at: now() });
      if (isTimed && !isInTime(tick)) return false;
    }
    await place(due);
    before = due.at(-1)?.dueAtMs ?? before;
  }
  return true;
}

/** The message that wakes due work, with the delay that is left. Also for the stream consumer, which places what is due soon itself. */
export const placementOf = (due: Due, nowMs: number): (Required<Outgoing> & { queue: Queue }) | undefined => {
  const work = workOf(due);
  if (!work) {
    log.error('Due work of another version was left', new Error(`No due work is called ${due.what}.`));
    metric('DueWorkLeft', 'Count', 1);
    return undefined;
  }
  return {
    queue: work.queue,
    companyId: work.companyOf(due.reference),
    message: work.message(due.reference, due.dueAtMs),
    delaySeconds: delaySeconds(due.dueAtMs, nowMs),
  };
};

/** Undefined: only another version declares it, which wrote it before a rollback or amid a deploy. */
const workOf = ({ what }: Due): DueWork | undefined => dueWork.find((each) => each.name === what);

const isKnown = (what: string): boolean => dueWork.some(({ name }) => name === what);

/** Returns how many were placed. Since when work of another version is left is remembered until a version knows it. */
async function enqueueDueWork(dues: readonly Due[], { left }: Tick): Promise<number> {
  const placements = dues.flatMap((due) => {
    const placement = placementOf(due, now());
    if (!placement) left.set(due.what, Math.min(left.get(due.what) ?? due.dueAtMs, due.dueAtMs));
    return placement ?? [];
  });
  const byQueue = Map.groupBy(placements, ({ queue }) => queue);
  await Promise.all([...byQueue].map(([queue, messages]) => send(queue, messages)));
  return placements.length;
}
