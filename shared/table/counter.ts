import * as z from 'zod';
import { any, below, missing } from './condition.ts';
import { entity } from './entity.ts';
import { pattern } from './pattern.ts';
import { tenant } from './schema.ts';

/**
 * The counter of a kind of record: the last id assigned, and the number of records. Ids come from an atomic ADD, the total from the
 * projections of the stream consumer. A list needs both and gets them in one read.
 */
export const counterEntity = entity({
  name: 'counter',
  purpose: 'Per company and kind of record: the last id assigned and the number of live records',
  attributes: z.object({
    companyId: z.int(),
    of: z.string(),
    lastId: z.int().default(0),
    total: z.int().default(0),
    rev: z.int().default(0),
    checkpoints: z.record(z.string(), z.string()).default({}),
    /** Conversations only: how many are in each cell of the inbox. */
    cells: z.record(z.string(), z.int()).optional(),
    /** Contacts only: quota of the plan that requests have reserved and the total does not contain yet. */
    promises: z
      .record(
        z.string(),
        z.object({ left: z.int(), first: z.int(), count: z.int(), back: z.int(), at: z.int(), restores: z.int().optional() }),
      )
      .optional(),
  }),
  key: ({ companyId, of }: { companyId: number; of: string }) => ({
    pk: companyId === 0 ? 'COUNTER' : `${tenant(companyId)}#COUNTER`,
    sk: of,
  }),
  idOf: ({ companyId, of }) => ({ companyId, of }),
  example: { pk: 'C#<company>#COUNTER (COUNTER for companies themselves)', sk: '<kind>' },
});

/** Assigns the next `count` ids of a kind and returns the first. Ids are never reused; a caller that fails leaves a gap. */
export const nextIds = pattern(
  { question: 'the next ids of a kind', entity: 'counter', by: 'UpdateItem', units: '1 WRU for any number of ids' },
  async (companyId: number, of: string, count: number): Promise<number> => {
    const taken = await counterEntity.change({ companyId, of }, { add: { lastId: count }, set: { companyId, of, kind: 'counter' } });
    if (!taken.done) throw new Error('An unconditional write was refused.');
    return taken.item.lastId - count + 1;
  },
);

export const getCounter = pattern(
  { question: 'last id and total of a kind', entity: 'counter', by: 'GetItem', units: '0.5 RRU, 1 consistently' },
  async (
    companyId: number,
    of: string,
    options: { consistent?: boolean } = {},
  ): Promise<{ lastId: number; total: number; cells?: Readonly<Record<string, number>> | undefined }> =>
    (await counterEntity.get({ companyId, of }, options)) ?? { lastId: 0, total: 0 },
);

/** After a restore: ids that were given before it are not given again. */
export const raiseLastId = pattern(
  { question: 'ids of a kind that a restored table has forgotten', entity: 'counter', by: 'UpdateItem', units: '1 WRU' },
  async (companyId: number, of: string, lastId: number): Promise<void> => {
    const set = { companyId, of, lastId, kind: counterEntity.name };
    await counterEntity.change({ companyId, of }, { set }, any(missing('lastId'), below('lastId', lastId)));
  },
);
