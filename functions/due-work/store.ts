import * as z from 'zod';
import { dayMs } from '../../shared/runtime/clock.ts';
import { all, any, atMost, equals, missing } from '../../shared/table/condition.ts';
import { dueBucket, dueTime, leastDuePartitions, parseDueKey } from '../../shared/table/due.ts';
import { entity, type ItemOf } from '../../shared/table/entity.ts';
import { rawItems, rawPages } from '../../shared/table/query.ts';
import { pattern } from '../../shared/table/pattern.ts';
import { sortable } from '../../shared/table/schema.ts';

const watermarkEntity = entity({
  name: 'due-watermark',
  purpose: 'Up to which time due work has been placed',
  attributes: z.object({
    placedToMs: z.int(),
    /** How many the index has had at most; a row of before 2026-11-23 has none. */
    partitions: z.int().optional(),
    /** After a restore: nothing that was due before is placed, at no look (docs/operate.md). */
    skippedToMs: z.int().optional(),
    /** By the name of work that the version of the last tick did not know: since when some is left. */
    left: z.record(z.string(), z.int()).optional(),
  }),
  key: () => ({ pk: 'DUE', sk: 'WATERMARK' }),
  idOf: () => ({}),
  example: { pk: 'DUE', sk: 'WATERMARK' },
});

/** Work of a resumed company that fell due while it was suspended, and is placed again. */
const replayEntity = entity({
  name: 'due-replay',
  purpose: 'A resumed company whose work is placed again, from when on',
  /** `at`: when it was requested, so that a repeated request is another one. */
  attributes: z.object({ companyId: z.int(), fromMs: z.int(), at: z.int().optional() }),
  key: ({ companyId }: { companyId: number }) => ({ pk: 'DUE', sk: `REPLAY#${sortable(companyId)}` }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'DUE', sk: 'REPLAY#<company, 16 digits>' },
});
export type Replay = ItemOf<typeof replayEntity>;

export const putReplay = pattern(
  { question: 'work of a company is to be placed again', entity: 'due-replay', by: 'PutItem', units: '1 WRU' },
  async (replay: Replay): Promise<void> => {
    await replayEntity.put(replay);
  },
);

/** Unless it was written again meanwhile. */
export const deleteReplay = pattern(
  { question: 'work of a company is placed again', entity: 'due-replay', by: 'DeleteItem', units: '1 WRU' },
  async (replay: Replay): Promise<void> => {
    await replayEntity.delete(
      replay,
      all(equals('fromMs', replay.fromMs), replay.at === undefined ? missing('at') : equals('at', replay.at)),
    );
  },
);

/** How far a walk over due work is that has more than a page: of a tick that ended early, or of a replay. */
const progressEntity = entity({
  name: 'due-progress',
  purpose: 'How far a tick, or a replay, is in a partition of the due index with more than a page of work',
  attributes: z.object({ walk: z.string(), partition: z.int(), placedToMs: z.int(), at: z.int() }),
  key: ({ walk, partition }: { walk: string; partition: number }) => ({ pk: 'DUE', sk: `PROGRESS#${walk}#${partition}` }),
  idOf: ({ walk, partition }) => ({ walk, partition }),
  expiresAt: ({ at }) => Math.floor((at + dayMs) / 1_000),
  example: { pk: 'DUE', sk: 'PROGRESS#<start of the stretch, or company and time of the request>#<partition>' },
});
export type Progress = ItemOf<typeof progressEntity>;

export const putProgress = pattern(
  { question: 'a page of due work is placed', entity: 'due-progress', by: 'PutItem', units: '1 WRU' },
  async (progress: Progress): Promise<void> => {
    await progressEntity.put(progress);
  },
);

export interface DispatchState {
  watermark: number | undefined;
  partitions: number;
  /** Epoch milliseconds, 0 where nothing was skipped. */
  skippedToMs: number;
  replays: Replay[];
  progress: Progress[];
  left: Readonly<Record<string, number>>;
}

/** What a tick starts from: the watermark, and the companies whose work is placed again. */
export const getDispatchState = pattern(
  { question: 'up to when due work is placed, and whose again', entity: 'due-watermark', by: 'Query', units: '1 RRU' },
  async (): Promise<DispatchState> => {
    const items: Record<string, unknown>[] = [];
    for await (const item of rawItems({ pk: 'DUE', consistent: true })) items.push(item);
    const others: readonly unknown[] = [replayEntity.name, progressEntity.name];
    const state = items.find(({ kind }) => !others.includes(kind));
    const { placedToMs, partitions, skippedToMs, left } = state ? watermarkEntity.parse(state) : {};
    return {
      watermark: placedToMs,
      partitions: partitions ?? leastDuePartitions,
      skippedToMs: skippedToMs ?? 0,
      replays: items.filter(({ kind }) => kind === replayEntity.name).map((raw) => replayEntity.parse(raw)),
      progress: items.filter(({ kind }) => kind === progressEntity.name).flatMap((raw) => progressEntity.parseStored(raw) ?? []),
      left: left ?? {},
    };
  },
);

export const getWatermark = pattern(
  { question: 'up to when due work is placed', entity: 'due-watermark', by: 'GetItem', units: '1 RRU' },
  async (): Promise<number | undefined> => (await watermarkEntity.get({}, { consistent: true }))?.placedToMs,
);

/** Only forward: a slower, older tick cannot take it back. */
export const updateWatermark = pattern(
  { question: 'due work is placed up to here', entity: 'due-watermark', by: 'UpdateItem', units: '1 WRU' },
  async (placedToMs: number, partitions: number, left: Record<string, number> = {}): Promise<void> => {
    await watermarkEntity.change(
      {},
      { set: { placedToMs, partitions, left } },
      any(missing('placedToMs'), atMost('placedToMs', placedToMs)),
    );
  },
);

export interface Due {
  dueAtMs: number;
  what: string;
  reference: string;
}

/** Page by page. */
export const listDueWork = pattern(
  {
    question: 'what falls due in a stretch of time, by partition',
    entity: 'any with due keys',
    by: 'Query',
    index: 'due',
    units: '0.5 RRU a page and partition',
  },
  async function* (partition: number, fromMs: number, toMs: number): AsyncGenerator<Due[]> {
    const pages = rawPages({ pk: dueBucket(partition), index: 'due', between: [dueTime(fromMs), `${dueTime(toMs)}~`], limit: 1_000 });
    for await (const { items } of pages) yield items.map((item) => parseDueKey(String(item['due_sk'])));
  },
);
