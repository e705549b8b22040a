import * as z from 'zod';
import { now } from '../../shared/runtime/clock.ts';
import { any, below, exists, missing } from '../../shared/table/condition.ts';
import { entity, type ItemOf } from '../../shared/table/entity.ts';
import { pattern } from '../../shared/table/pattern.ts';
import { setAsideChangeName } from './contract.ts';

/** Of a sequence number; padded, numbers compare as texts. */
const sequenceDigits = 40;

/** The stream delivers nothing again after 24 hours. */
const shardTtlMs = 48 * 3_600_000;

export const shardEntity = entity({
  name: 'stream-shard',
  purpose: 'Up to which record a shard of the change stream is applied to every projection',
  attributes: z.object({ shard: z.string(), sequence: z.string(), confirmedAt: z.int() }),
  key: ({ shard }: { shard: string }) => ({ pk: `SHARD#${shard}`, sk: 'SHARD' }),
  idOf: ({ shard }) => ({ shard }),
  expiresAt: ({ confirmedAt }) => Math.floor((confirmedAt + shardTtlMs) / 1_000),
  example: { pk: 'SHARD#<hash of the shard id>', sk: 'SHARD' },
});

/** Read after the row that dropped the shard's checkpoint, it contains at least what that row did. */
export const getConfirmed = pattern(
  { question: 'up to which record a shard is applied', entity: 'stream-shard', by: 'GetItem', units: '1 RRU' },
  async (shard: string): Promise<bigint | undefined> => {
    const item = await shardEntity.get({ shard }, { consistent: true });
    return item && BigInt(item.sequence);
  },
);

/** A moment old: then a row drops less than it could. */
export const listConfirmed = pattern(
  { question: 'up to which records some shards are applied', entity: 'stream-shard', by: 'BatchGetItem', units: '0.5 RRU a shard' },
  async (shards: readonly string[]): Promise<ReadonlyMap<string, bigint>> =>
    new Map((await shardEntity.getMany(shards.map((shard) => ({ shard })))).map(({ shard, sequence }) => [shard, BigInt(sequence)])),
);

/** Only forward: an older delivery of the shard cannot take it back. */
export const confirmShard = pattern(
  { question: 'a shard is applied up to here', entity: 'stream-shard', by: 'UpdateItem', units: '1 WRU' },
  async (shard: string, sequence: bigint): Promise<void> => {
    const padded = String(sequence).padStart(sequenceDigits, '0');
    const at = now();
    await shardEntity.change(
      { shard },
      { set: { shard, sequence: padded, confirmedAt: at, kind: shardEntity.name, ttl: Math.floor((at + shardTtlMs) / 1_000) } },
      any(missing('sequence'), below('sequence', padded)),
    );
  },
);

const setAsideTtlMs = 14 * 24 * 3_600_000;

export const setAsideEntity = entity({
  name: setAsideChangeName,
  purpose: 'A stored change that no reaction could carry out, until the operator has it tried again',
  attributes: z.object({
    eventId: z.string(),
    /** The kind of item that changed. */
    of: z.string(),
    error: z.string(),
    /** The stream's record in JSON; missing where it is larger than an item can be. */
    record: z.string().optional(),
    at: z.int(),
    retriedAt: z.int().optional(),
  }),
  key: ({ eventId }: { eventId: string }) => ({ pk: 'SET_ASIDE', sk: eventId }),
  idOf: ({ eventId }) => ({ eventId }),
  expiresAt: ({ at }) => Math.floor((at + setAsideTtlMs) / 1_000),
  example: { pk: 'SET_ASIDE', sk: '<event id>' },
});
export type SetAsideChange = ItemOf<typeof setAsideEntity>;

/** The same change set aside once more is the same item. */
export const putSetAside = pattern(
  { question: 'a change could not be carried out', entity: setAsideChangeName, by: 'PutItem', units: '1 WRU a KB of the change' },
  async (change: SetAsideChange): Promise<void> => void (await setAsideEntity.put(change)),
);

export const listSetAside = pattern(
  { question: 'the changes that could not be carried out', entity: setAsideChangeName, by: 'Query', units: '0.5 RRU a 4 KB' },
  (): Promise<SetAsideChange[]> => setAsideEntity.collect({ pk: 'SET_ASIDE' }),
);

/** The stream consumer receives this change and carries out the one inside. False: there is no such change. */
export const requestRetry = pattern(
  { question: 'a change is to be carried out again', entity: setAsideChangeName, by: 'UpdateItem', units: '1 WRU a KB of the change' },
  async (eventId: string, retriedAt: number): Promise<boolean> =>
    (await setAsideEntity.change({ eventId }, { set: { retriedAt } }, exists())).done,
);

export const deleteSetAside = pattern(
  { question: 'a change was carried out after all', entity: setAsideChangeName, by: 'DeleteItem', units: '1 WRU a KB of the change' },
  async (eventId: string): Promise<void> => void (await setAsideEntity.delete({ eventId })),
);
