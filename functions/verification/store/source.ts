import * as z from 'zod';
import { countInWindow, staleWindowFields, windowField } from '../../../shared/access/window.ts';
import { all, any, below, missing, type Removable, type CounterField } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { tenant } from '../../../shared/table/schema.ts';
import { callsPerMinute } from '../domain/limits.ts';

const identifierPrefix = 's:';
/** Requests of one identifier by the window of the bombing limit; until when the source is refused for it; how often it was. */
const [requestsPrefix, refusedPrefix, refusalsPrefix] = ['n:', 'b:', 'k:'] as const;
type IdentifierField = `s:${string}` | `n:${string}` | `b:${string}` | `k:${string}`;
const shortHash = (identifierHash: string): string => identifierHash.slice(0, 12);
const requestsField = (identifierHash: string, window: number) => `${requestsPrefix}${shortHash(identifierHash)}:${window}` as const;
const refusedField = (identifierHash: string) => `${refusedPrefix}${shortHash(identifierHash)}` as const;
const refusalsField = (identifierHash: string) => `${refusalsPrefix}${shortHash(identifierHash)}` as const;

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
export type RequestSource = ItemOf<typeof sourceEntity>;
export interface SourceId {
  companyId: number;
  profileId: string;
  /** A source address, or the identifier's hash for a server that passes no address. */
  address: string;
}

/** What a call counts for its source, beside itself. */
export interface SourceCall {
  /** Counted among the identifiers of the address. */
  identifierHash: string | undefined;
  /** How often it was requested is counted in windows of so many milliseconds. */
  requested: { identifierHash: string; windowMs: number } | undefined;
}

/**
 * Counts a call and its identifier and returns the source with all of them, before any decision. Fails beyond 30 calls a minute of the
 * credential and, with an identifier, while the source is blocked.
 */
export const reserveSourceCall = pattern(
  { question: 'count a call of a source address and its identifier', entity: 'verification-source', by: 'UpdateItem', units: '1 WRU' },
  (
    id: SourceId,
    credentialId: number,
    { identifierHash, requested }: SourceCall,
    at: number,
    until: number,
  ): Promise<Written<RequestSource>> => {
    const call = countInWindow(String(credentialId), callsPerMinute, at);
    const identifier = identifierHash === undefined ? {} : { [`${identifierPrefix}${shortHash(identifierHash)}`]: at };
    const request = requested && requestsField(requested.identifierHash, Math.floor(at / requested.windowMs));
    const isFree = any(missing('blockedUntil'), below('blockedUntil', at));
    return sourceEntity.change(
      id,
      {
        ...call.change,
        ...(request ? { add: { ...call.change.add, [request]: 1 } } : {}),
        set: { ...id, kind: sourceEntity.name, ...identifier, until, ttl: until },
      },
      identifierHash === undefined ? call.condition : all(call.condition, isFree),
    );
  },
);

export const callsInMinute = (source: RequestSource, credentialId: number, at: number): number =>
  Number(source[windowField(String(credentialId), at)] ?? 0);

export type SourceChange = { blockedUntil?: number } | ReturnType<typeof refusal>;

export const updateSource = pattern(
  {
    question: 'block a source address, end its block, remove expired identifiers',
    entity: 'verification-source',
    by: 'UpdateItem',
    units: '1 WRU',
  },
  async (id: SourceId, set: SourceChange, remove: readonly Removable<RequestSource>[]): Promise<void> => {
    await sourceEntity.change(id, { set, remove });
  },
);

export const getSource = pattern(
  { question: 'a source address, to unblock it', entity: 'verification-source', by: 'GetItem', units: '1 RRU' },
  (id: SourceId): Promise<RequestSource | undefined> => sourceEntity.get(id, { consistent: true }),
);

/** How many identifiers were requested since a time, and the fields of the earlier ones. */
export const identifiersSince = (source: RequestSource, since: number, at: number): { recent: number; expiredFields: CounterField[] } => {
  const identifiers = identifierFields(source)
    .filter((field) => field.startsWith(identifierPrefix))
    .map((field) => [field, source[field]] as const);
  const past = identifiers.filter(([, when]) => Number(when) <= since).map(([field]) => field);
  // with an identifier that the source requests no more, what was counted of it goes too
  const counts = identifierFields(source).filter(
    (field) =>
      !field.startsWith(identifierPrefix) &&
      past.some((gone) => gone.slice(2) === field.slice(2).split(':')[0]) &&
      Number(source[`${refusedPrefix}${field.slice(2).split(':')[0]}`] ?? 0) <= at,
  );
  return {
    recent: identifiers.length - past.length,
    expiredFields: [...past, ...counts, ...staleWindowFields(source, at)],
  };
};

/** How often the source requested an identifier within the window, until when it is refused for it, and how often it was refused before. */
export const requestsOf = (
  source: RequestSource,
  { identifierHash, windowMs }: NonNullable<SourceCall['requested']>,
  at: number,
): { count: number; refusedUntil: number; refusals: number } => ({
  count: Number(source[requestsField(identifierHash, Math.floor(at / windowMs))] ?? 0),
  refusedUntil: Number(source[refusedField(identifierHash)] ?? 0),
  refusals: Number(source[refusalsField(identifierHash)] ?? 0),
});

/** The fields of a source that is refused for an identifier. */
export const refusal = (identifierHash: string, untilMs: number, refusals: number): Record<`b:${string}` | `k:${string}`, number> => ({
  [refusedField(identifierHash)]: untilMs,
  [refusalsField(identifierHash)]: refusals,
});

/** What a source has of its requests of one identifier. */
export const requestFields = (source: RequestSource, identifierHash: string): IdentifierField[] =>
  identifierFields(source).filter(
    (field) => !field.startsWith(identifierPrefix) && field.slice(2).split(':')[0] === shortHash(identifierHash),
  );

/** The fields of all identifiers. */
export const identifierFields = (source: RequestSource): IdentifierField[] =>
  Object.keys(source).filter((field): field is IdentifierField =>
    [identifierPrefix, requestsPrefix, refusedPrefix, refusalsPrefix].some((prefix) => field.startsWith(prefix)),
  );
