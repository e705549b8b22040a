import * as z from 'zod';
import { any, below, exists, missing, type Removable } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { bucketField, hourMs, expiredBucketFields } from '../domain/prefix.ts';
import { proofsEntityName } from '../contract/stored.ts';

/** Who asks much and proves little: a number without its last four digits, or a country, in the last hour. */
export interface PrefixId {
  companyId: number;
  profileId: string;
  /** `P<digits>` or `L<country>`. */
  prefix: string;
}
const pk = ({ companyId, profileId, prefix }: PrefixId): string => `${tenant(companyId)}#V#${profileId}#PREFIX#${prefix}`;

export const prefixEntity = entity({
  name: 'verification-prefix',
  purpose: 'Verifications asked for within the hour, of a prefix of phone numbers or of a country; its block',
  attributes: z.looseObject({
    companyId: z.int(),
    profileId: z.string(),
    prefix: z.string(),
    blockedUntil: z.int().optional(),
    until: z.int(),
  }),
  key: (id: PrefixId) => ({ pk: pk(id), sk: 'ASKED' }),
  idOf: ({ companyId, profileId, prefix }) => ({ companyId, profileId, prefix }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#V#<profile>#PREFIX#<number less four digits>', sk: 'ASKED' },
});
export type PrefixCounts = ItemOf<typeof prefixEntity>;

/** Counts a request of the prefix first, and gives the hour's counts; refused while the prefix is blocked. */
export const reservePrefixRequest = pattern(
  { question: 'how many verifications does this prefix ask for', entity: 'verification-prefix', by: 'UpdateItem', units: '1 WRU' },
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
  {
    question: 'what a prefix asked for within the hour, for a CAPTCHA by risk',
    entity: 'verification-prefix',
    by: 'GetItem',
    units: '0.5 RRU',
  },
  (id: PrefixId): Promise<PrefixCounts | undefined> => prefixEntity.get(id),
);

export const updatePrefix = pattern(
  { question: 'a block of a prefix, or its end', entity: 'verification-prefix', by: 'UpdateItem', units: '1 WRU' },
  async (id: PrefixId, set: { blockedUntil?: number }, remove: readonly Removable<PrefixCounts>[] = []): Promise<void> => {
    await prefixEntity.change(id, { set, remove }, exists());
  },
);

/** The proofs of a prefix, folded from the change stream: each verified request once. */
export const proofsEntity = entity({
  name: proofsEntityName,
  purpose: 'Verifications of a prefix that succeeded within the hour',
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
  { question: 'how many verifications of a prefix succeeded within the hour', entity: proofsEntityName, by: 'GetItem', units: '0.5 RRU' },
  (id: PrefixId): Promise<ItemOf<typeof proofsEntity> | undefined> => proofsEntity.get(id),
);
