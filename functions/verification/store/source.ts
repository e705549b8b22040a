import * as z from 'zod';
import { countInWindow, staleWindowFields, windowField } from '../../../shared/access/window.ts';
import { all, any, below, missing, type Removable, type CounterField } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { callsPerMinute } from '../domain/limits.ts';

const identifierPrefix = 's:';
type SeenField = `s:${string}`;

export const sourceEntity = entity({
  name: 'verification-source',
  purpose: 'Which identifiers an address asked for lately, and its calls a minute (V15, V16)',
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
  example: { pk: 'C#<company>#V#<profile>#IP#<address>', sk: 'SOURCE' },
});
export type Source = ItemOf<typeof sourceEntity>;
export interface SourceId {
  companyId: number;
  profileId: string;
  /** An address, or a person where the caller is a server that names none. */
  address: string;
}

/**
 * Counts a call and notes the identifier asked for, and gives all that the address asked for: the count comes before the decision.
 * Refused beyond 30 calls a minute of the credential; with an identifier to note, also while the address is blocked.
 */
export const reserveSourceCall = pattern(
  { question: 'which identifiers does this address ask for, how often', entity: 'verification-source', by: 'UpdateItem', units: '1 WRU' },
  (id: SourceId, credentialId: number, person: string | undefined, at: number, until: number): Promise<Written<Source>> => {
    const call = countInWindow(String(credentialId), callsPerMinute, at);
    const seen = person === undefined ? {} : { [`${identifierPrefix}${person.slice(0, 12)}`]: at };
    const isFree = any(missing('blockedUntil'), below('blockedUntil', at));
    return sourceEntity.change(
      id,
      { ...call.change, set: { ...id, kind: sourceEntity.name, ...seen, until, ttl: until } },
      person === undefined ? call.condition : all(call.condition, isFree),
    );
  },
);

export const callsInMinute = (source: Source, credentialId: number, at: number): number =>
  Number(source[windowField(String(credentialId), at)] ?? 0);

export const updateSource = pattern(
  {
    question: 'a block of an address or its end, or what it asked for long ago',
    entity: 'verification-source',
    by: 'UpdateItem',
    units: '1 WRU',
  },
  async (id: SourceId, set: { blockedUntil?: number }, remove: readonly Removable<Source>[]): Promise<void> => {
    await sourceEntity.change(id, { set, remove });
  },
);

export const getSource = pattern(
  { question: 'what an address asked for, to unblock it', entity: 'verification-source', by: 'GetItem', units: '1 RRU' },
  (id: SourceId): Promise<Source | undefined> => sourceEntity.get(id, { consistent: true }),
);

/** The identifiers seen since a time, and the fields of those before. */
export const identifiersSince = (source: Source, since: number, at: number): { fresh: number; stale: CounterField[] } => {
  const seen = identifierFields(source).map((field) => [field, source[field]] as const);
  return {
    fresh: seen.filter(([, when]) => Number(when) > since).length,
    stale: [...seen.filter(([, when]) => Number(when) <= since).map(([field]) => field), ...staleWindowFields(source, at)],
  };
};

/** The fields of every identifier seen. */
export const identifierFields = (source: Source): SeenField[] =>
  Object.keys(source).filter((field): field is SeenField => field.startsWith(identifierPrefix));
