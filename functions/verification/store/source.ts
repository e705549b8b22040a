import * as z from 'zod';
import { countInWindow, staleWindowFields, windowField } from '../../../shared/access/window.ts';
import { all, any, below, missing, type Removable, type CounterField } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { callsPerMinute } from '../domain/limits.ts';

const identifierPrefix = 's:';
type IdentifierField = `s:${string}`;

export const sourceEntity = entity({
  name: 'verification-source',
  purpose: 'The identifiers that a source address requested recently, its calls a minute, its block',
  attributes: z.looseObject({
    companyId: z.int(),
    profileId: z.string(),
    address: z.string(),
    blockedUntil: z.int().optional(),
    until: z.int(),
  }),
  key: ({ companyId, profileId, address }: SourceId) => ({ pk: `${tenant(companyId)}#V#${profileId}#IP#${address}`, sk: 'SOURCE' }),
  idOf: ({ companyId, profileId, address }) => ({ companyId, profileId, address }),
  expiresAt: ({ until }) => until,
  personalData: 'address of a caller, keyed hashes of identifiers',
  endsBy: 'expiry, within days',
  example: { pk: 'C#<company>#V#<profile>#IP#<address>', sk: 'SOURCE' },
});
export type Source = ItemOf<typeof sourceEntity>;
export interface SourceId {
  companyId: number;
  profileId: string;
  /** A source address, or the identifier's hash for a server that passes no address. */
  address: string;
}

/**
 * Counts a call and its identifier and returns the source with all of them, before any decision. Fails beyond 30 calls a minute of the
 * credential and, with an identifier, while the source is blocked.
 */
export const reserveSourceCall = pattern(
  { question: 'count a call of a source address and its identifier', entity: 'verification-source', by: 'UpdateItem', units: '1 WRU' },
  (id: SourceId, credentialId: number, identifierHash: string | undefined, at: number, until: number): Promise<Written<Source>> => {
    const call = countInWindow(String(credentialId), callsPerMinute, at);
    const identifier = identifierHash === undefined ? {} : { [`${identifierPrefix}${identifierHash.slice(0, 12)}`]: at };
    const isFree = any(missing('blockedUntil'), below('blockedUntil', at));
    return sourceEntity.change(
      id,
      { ...call.change, set: { ...id, kind: sourceEntity.name, ...identifier, until, ttl: until } },
      identifierHash === undefined ? call.condition : all(call.condition, isFree),
    );
  },
);

export const callsInMinute = (source: Source, credentialId: number, at: number): number =>
  Number(source[windowField(String(credentialId), at)] ?? 0);

export const updateSource = pattern(
  {
    question: 'block a source address, end its block, remove expired identifiers',
    entity: 'verification-source',
    by: 'UpdateItem',
    units: '1 WRU',
  },
  async (id: SourceId, set: { blockedUntil?: number }, remove: readonly Removable<Source>[]): Promise<void> => {
    await sourceEntity.change(id, { set, remove });
  },
);

export const getSource = pattern(
  { question: 'a source address, to unblock it', entity: 'verification-source', by: 'GetItem', units: '1 RRU' },
  (id: SourceId): Promise<Source | undefined> => sourceEntity.get(id, { consistent: true }),
);

/** How many identifiers were requested since a time, and the fields of the earlier ones. */
export const identifiersSince = (source: Source, since: number, at: number): { recent: number; expiredFields: CounterField[] } => {
  const identifiers = identifierFields(source).map((field) => [field, source[field]] as const);
  return {
    recent: identifiers.filter(([, when]) => Number(when) > since).length,
    expiredFields: [...identifiers.filter(([, when]) => Number(when) <= since).map(([field]) => field), ...staleWindowFields(source, at)],
  };
};

/** The fields of all identifiers. */
export const identifierFields = (source: Source): IdentifierField[] =>
  Object.keys(source).filter((field): field is IdentifierField => field.startsWith(identifierPrefix));
