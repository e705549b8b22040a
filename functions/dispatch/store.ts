import * as z from 'zod';
import { any, atMost, missing } from '../../shared/table/condition.ts';
import { dueBucket, dueTime, parseDueKey } from '../../shared/table/due.ts';
import { entity } from '../../shared/table/entity.ts';
import { rawPages } from '../../shared/table/query.ts';
import { pattern } from '../../shared/table/pattern.ts';

const watermarkEntity = entity({
  name: 'due-watermark',
  purpose: 'Up to which time due work has been placed',
  attributes: z.object({ placedToMs: z.int() }),
  key: () => ({ pk: 'DUE', sk: 'WATERMARK' }),
  idOf: () => ({}),
  example: { pk: 'DUE', sk: 'WATERMARK' },
});

export const getWatermark = pattern(
  { question: 'up to when due work is placed', entity: 'due-watermark', by: 'GetItem', units: '1 RRU' },
  async (): Promise<number | undefined> => (await watermarkEntity.get({}, { consistent: true }))?.placedToMs,
);

/** Only forward: a slower, older tick cannot take it back. */
export const updateWatermark = pattern(
  { question: 'due work is placed up to here', entity: 'due-watermark', by: 'UpdateItem', units: '1 WRU' },
  async (placedToMs: number): Promise<void> => {
    await watermarkEntity.change({}, { set: { placedToMs } }, any(missing('placedToMs'), atMost('placedToMs', placedToMs)));
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
    question: 'what falls due in a stretch of time, by shard',
    entity: 'any with due keys',
    by: 'Query',
    index: 'due',
    units: '0.5 RRU a page and shard',
  },
  async function* (shard: number, fromMs: number, toMs: number): AsyncGenerator<Due[]> {
    const pages = rawPages({ pk: dueBucket(shard), index: 'due', between: [dueTime(fromMs), `${dueTime(toMs)}~`], limit: 1_000 });
    for await (const { items } of pages) yield items.map((item) => parseDueKey(String(item['due_sk'])));
  },
);
