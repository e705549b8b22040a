import * as z from 'zod';
import { missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { exceptionKinds } from '../domain/rules.ts';

const partition = (companyId: number): string => `${tenant(companyId)}#V#WHITELIST`;

export const exceptionEntity = entity({
  name: 'verification-whitelist',
  purpose: "An address, domain, country or identifier that a profile's rules let through",
  attributes: z.object({
    companyId: z.int(),
    profileId: z.string(),
    id: z.string(),
    kind: z.enum(exceptionKinds),
    value: z.string(),
    expiresAt: z.int().optional(),
    createdAt: z.int(),
  }),
  key: ({ companyId, id }: { companyId: number; id: string }) => ({ pk: partition(companyId), sk: id }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ expiresAt }) => (expiresAt === undefined ? undefined : Math.ceil(expiresAt / 1_000)),
  example: { pk: 'C#<company>#V#WHITELIST', sk: '<profile>#<uuid>' },
});
export type StoredException = ItemOf<typeof exceptionEntity>;

/** More than this a profile may not have: they are all read when a rule stands against somebody. */
export const mostExceptions = 200;

export const exceptionId = (profileId: string, uuid: string): string => `${profileId}#${uuid}`;

export const findExceptions = pattern(
  { question: 'what the rules of a profile let through', entity: 'verification-whitelist', by: 'Query', units: '0.5 RRU for about 20' },
  async (companyId: number, profileId?: string): Promise<StoredException[]> => {
    const { items } = await exceptionEntity.query({ pk: partition(companyId), ...(profileId ? { begins: `${profileId}#` } : {}) });
    return items;
  },
);

export const insertException = pattern(
  { question: 'a new exception', entity: 'verification-whitelist', by: 'PutItem', units: '1 WRU' },
  (exception: StoredException): Promise<Written<StoredException>> => exceptionEntity.put(exception, missing()),
);

export const findException = pattern(
  { question: 'an exception by id', entity: 'verification-whitelist', by: 'GetItem', units: '1 RRU, read consistently' },
  (companyId: number, id: string): Promise<StoredException | undefined> => exceptionEntity.get({ companyId, id }, { consistent: true }),
);

export const removeException = pattern(
  { question: 'the end of an exception', entity: 'verification-whitelist', by: 'DeleteItem', units: '1 WRU' },
  async (companyId: number, id: string): Promise<void> => {
    await exceptionEntity.delete({ companyId, id });
  },
);
