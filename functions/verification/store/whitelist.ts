import * as z from 'zod';
import { missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { whitelistKinds } from '../domain/eligibility-rules.ts';

const partition = (companyId: number): string => `${tenant(companyId)}#V#WHITELIST`;

export const whitelistEntity = entity({
  name: 'verification-whitelist',
  purpose: 'An address, domain, country or identifier that is exempt from the rules of a profile',
  attributes: z.object({
    companyId: z.int(),
    profileId: z.string(),
    id: z.string(),
    valueKind: z.enum(whitelistKinds),
    value: z.string(),
    expiresAt: z.int().optional(),
    createdAt: z.int(),
  }),
  renamed: { kind: 'valueKind' },
  key: ({ companyId, id }: { companyId: number; id: string }) => ({ pk: partition(companyId), sk: id }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ expiresAt }) => (expiresAt === undefined ? undefined : Math.ceil(expiresAt / 1_000)),
  personalData: 'phone or email of a contact, address of a caller',
  example: { pk: 'C#<company>#V#WHITELIST', sk: '<profile>#<uuid>' },
});
export type StoredWhitelistEntry = ItemOf<typeof whitelistEntity>;

/** Entries of a profile: all are read when a rule refuses a request. */
export const maxWhitelistEntries = 200;

export const whitelistEntryId = (profileId: string, uuid: string): string => `${profileId}#${uuid}`;

export const listWhitelistEntries = pattern(
  { question: 'the whitelist of a profile', entity: 'verification-whitelist', by: 'Query', units: '0.5 RRU for about 20' },
  (companyId: number, profileId?: string, options: { consistent?: boolean } = {}): Promise<StoredWhitelistEntry[]> =>
    whitelistEntity.collect({ pk: partition(companyId), ...(profileId ? { begins: `${profileId}#` } : {}), ...options }),
);

export const createWhitelistEntry = pattern(
  { question: 'create a whitelist entry', entity: 'verification-whitelist', by: 'PutItem', units: '1 WRU' },
  (entry: StoredWhitelistEntry): Promise<Written<StoredWhitelistEntry>> => whitelistEntity.put(entry, missing()),
);

export const getWhitelistEntry = pattern(
  { question: 'a whitelist entry by id', entity: 'verification-whitelist', by: 'GetItem', units: '1 RRU, read consistently' },
  (companyId: number, id: string): Promise<StoredWhitelistEntry | undefined> =>
    whitelistEntity.get({ companyId, id }, { consistent: true }),
);

export const deleteWhitelistEntry = pattern(
  { question: 'delete a whitelist entry', entity: 'verification-whitelist', by: 'DeleteItem', units: '1 WRU' },
  async (companyId: number, id: string): Promise<void> => {
    await whitelistEntity.delete({ companyId, id });
  },
);
