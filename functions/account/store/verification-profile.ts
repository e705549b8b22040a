import * as z from 'zod';
import { all, equals, exists, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written, type ChangeOf } from '../../../shared/table/entity.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';

export const profileEntity = entity({
  name: 'verification-profile',
  audited: true,
  purpose: 'A verification profile: the settings for creating and checking codes',
  attributes: z.object({
    companyId: z.int(),
    /** UUID v4. */
    id: z.string(),
    name: z.string(),
    status: z.enum(['active', 'inactive']),
    /** The status of its company, where that is not active. */
    companyStatus: z.literal('suspended').optional(),
    isDefault: z.boolean(),
    /** As given; the verification context merges the defaults (V1). */
    settings: z.record(z.string(), z.unknown()).default({}),
    /** Trust keys issued before this time are revoked (V19). */
    trustFrom: z.int().optional(),
    /** Counts the changes; the keys of the profile have a copy. Absent: unchanged since revisions are counted. */
    revision: z.int().optional(),
    createdAt: z.int(),
    updatedAt: z.int(),
  }),
  key: ({ companyId, id }: ProfileId) => ({ pk: partition(companyId), sk: id }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  example: { pk: 'C#<company>#VERIFICATION_PROFILE', sk: '<uuid>' },
});
export type VerificationProfile = ItemOf<typeof profileEntity>;
export interface ProfileId {
  companyId: number;
  id: string;
}

export const getProfileById = pattern(
  { question: 'a verification profile by id', entity: 'verification-profile', by: 'GetItem', units: '0.5 RRU, 1 RRU read consistently' },
  (companyId: number, id: string, options: { consistent?: boolean } = {}): Promise<VerificationProfile | undefined> =>
    profileEntity.get({ companyId, id }, options),
);

export const listAllProfiles = pattern(
  {
    question: 'the verification profiles of a company',
    entity: 'verification-profile',
    by: 'Query',
    units: '0.5 RRU for about 8, consistently 1',
  },
  async (companyId: number, { consistent = false }: { consistent?: boolean } = {}): Promise<VerificationProfile[]> =>
    (await profileEntity.collect({ pk: partition(companyId), consistent })).sort((a, b) => a.createdAt - b.createdAt),
);

export const updateProfileById = pattern(
  { question: 'a change of a verification profile', entity: 'verification-profile', by: 'UpdateItem', units: '1 WRU' },
  (companyId: number, id: string, change: ChangeOf<typeof profileEntity>): Promise<Written<VerificationProfile>> =>
    profileEntity.change({ companyId, id }, change, exists()),
);

export const createProfilePart = (profile: VerificationProfile): TransactionPart => profileEntity.putting(profile, missing());

/** Part of a transaction: the profile must be unchanged since it was read. */
export const checkProfilePart = ({
  companyId,
  id,
  status,
  revision,
}: Pick<VerificationProfile, 'companyId' | 'id' | 'status' | 'revision'>): TransactionPart =>
  profileEntity.checking(
    { companyId, id },
    all(equals('status', status), revision === undefined ? missing('revision') : equals('revision', revision)),
  );

function partition(companyId: number): string {
  return `${tenant(companyId)}#VERIFICATION_PROFILE`;
}
