import { hourMs } from '../../../shared/runtime/clock.ts';
import * as z from 'zod';
import { any, below, exists, missing, type Removable } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { bucketField, expiredBucketFields } from '../domain/prefix.ts';
import { prefixEntityName, proofsEntityName } from '../contract/stored.ts';

/** A phone number without its last four digits, or a country. */
export interface PrefixId {
  companyId: number;
  profileId: string;
  /** `P<digits>` or `L<country>`. */
  prefix: string;
}
const pk = ({ companyId, profileId, prefix }: PrefixId): string => `${tenant(companyId)}#V#${profileId}#PREFIX#${prefix}`;

export const prefixEntity = entity({
  name: prefixEntityName,
  purpose: 'Verification requests of a phone prefix or a country within the hour, and its block',
  attributes: z.looseObject({
    companyId: z.int(),
    profileId: z.string(),
    prefix: z.string(),
    blockedUntil: z.int().optional(),
    rev: z.int().default(0),
    checkpoints: z.record(z.string(), z.string()).default({}),
    until: z.int(),
  }),
  key: (id: PrefixId) => ({ pk: pk(id), sk: 'REQUESTED' }),
  idOf: ({ companyId, profileId, prefix }) => ({ companyId, profileId, prefix }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#V#<profile>#PREFIX#<number less four digits>', sk: 'REQUESTED' },
});
export type PrefixCounts = ItemOf<typeof prefixEntity>;

/** Counts a request of a country and returns the counts of the hour; fails while the country is blocked. */
export const reservePrefixRequest = pattern(
  { question: 'count a request of a country', entity: 'verification-prefix', by: 'UpdateItem', units: '1 WRU' },
  (id: PrefixId, at: number): Promise<Written<PrefixCounts>> => {
    const until = Math.floor((at + 2 * hourMs) / 1_000);
    return prefixEntity.change(
      id,
      { add: { [bucketField(at)]: 1 }, remove: expiredBucketFields(at), set: { ...id, kind: prefixEntity.name, until, ttl: until } },
      any(missing('blockedUntil'), below('blockedUntil', at)),
    );
  },
);

export const getPrefix = pattern(
  { question: 'the counts of a prefix, to end its block', entity: 'verification-prefix', by: 'GetItem', units: '0.5 RRU' },
  (id: PrefixId): Promise<PrefixCounts | undefined> => prefixEntity.get(id),
);

export const updatePrefix = pattern(
  { question: 'block a prefix, or end its block', entity: 'verification-prefix', by: 'UpdateItem', units: '1 WRU' },
  async (id: PrefixId, set: { blockedUntil?: number }, remove: readonly Removable<PrefixCounts>[] = []): Promise<void> => {
    // a projection that read the row before counts again
    await prefixEntity.change(id, { set, add: { rev: 1 }, remove }, exists());
  },
);

/** The verified requests of a prefix, a projection of the change stream that counts each request once. */
export const proofsEntity = entity({
  name: proofsEntityName,
  purpose: 'Verified requests of a prefix within the hour',
  attributes: z.looseObject({
    companyId: z.int(),
    profileId: z.string(),
    prefix: z.string(),
    rev: z.int().default(0),
    checkpoints: z.record(z.string(), z.string()).default({}),
    until: z.int(),
  }),
  key: (id: PrefixId) => ({ pk: pk(id), sk: 'PROVEN' }),
  idOf: ({ companyId, profileId, prefix }) => ({ companyId, profileId, prefix }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#V#<profile>#PREFIX#<number less four digits>', sk: 'PROVEN' },
});

export const getProofs = pattern(
  { question: 'the verified requests of a prefix within the hour', entity: proofsEntityName, by: 'GetItem', units: '0.5 RRU' },
  (id: PrefixId): Promise<ItemOf<typeof proofsEntity> | undefined> => proofsEntity.get(id),
);
