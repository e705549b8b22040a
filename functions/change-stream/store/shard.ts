import * as z from 'zod';
import { dayMs, now } from '../../../shared/runtime/clock.ts';
import { any, below, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';

/** Of a sequence number; padded, numbers compare as texts. */
const sequenceDigits = 40;

/** The stream delivers nothing again after 24 hours. */
const shardTtlMs = 2 * dayMs;

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
