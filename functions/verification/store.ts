import * as z from 'zod';
import { counting, windowEndSeconds, windowField } from '../../shared/access/window.ts';
import { all, any, atMost, below, differs, equals, exists, missing, type Condition, atLeast } from '../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../shared/table/entity.ts';
import { pattern } from '../../shared/table/pattern.ts';
import { tenant } from '../../shared/table/schema.ts';
import { requestEntityName, type StoredRequest, storedRequest } from './contract.ts';

// ---- the request ---------------------------------------------------------------------------------------------------------------------

export const requestEntity = entity({
  name: requestEntityName,
  purpose: 'One verification: who is to be verified for what, and how it ended',
  attributes: storedRequest,
  key: ({ companyId, id }: { companyId: number; id: string }) => ({ pk: `${tenant(companyId)}#V#${id}`, sk: 'REQUEST' }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#V#<request id>', sk: 'REQUEST' },
});

export const findRequest = pattern(
  { asks: 'a verification by id', entity: requestEntityName, by: 'GetItem', units: '0.5 RRU, 1 RRU read consistently' },
  (companyId: number, id: string, options: { consistent?: boolean } = {}): Promise<StoredRequest | undefined> =>
    requestEntity.get({ companyId, id }, options),
);

export const insertRequest = pattern(
  { asks: 'a new verification', entity: requestEntityName, by: 'PutItem', units: '1 WRU' },
  (request: StoredRequest): Promise<Written<StoredRequest>> => requestEntity.put(request, missing()),
);

/** Ends a pending request: one winner. */
export const endRequest = pattern(
  { asks: 'the end of a pending verification', entity: requestEntityName, by: 'UpdateItem', units: '1 WRU' },
  (companyId: number, id: string, set: Partial<StoredRequest>): Promise<Written<StoredRequest>> =>
    requestEntity.change({ companyId, id }, { set, remove: ['sealedCode'] }, equals('status', 'pending')),
);

/** One more message, if nobody asked for one meanwhile and the request is still pending. */
export const askForSend = pattern(
  { asks: 'another message of a verification', entity: requestEntityName, by: 'UpdateItem', units: '1 WRU' },
  (request: StoredRequest, set: Partial<StoredRequest>): Promise<Written<StoredRequest>> =>
    requestEntity.change(
      { companyId: request.companyId, id: request.id },
      { set },
      all(equals('status', 'pending'), equals('sends', request.sends), equals('expiresAt', request.expiresAt)),
    ),
);

/** The worker's claim of a message: whoever finds it claimed does not send. */
export const claimSend = pattern(
  { asks: 'may this message of a verification go out now', entity: requestEntityName, by: 'UpdateItem', units: '1 WRU' },
  (companyId: number, id: string, send: number, at: number): Promise<Written<StoredRequest>> =>
    requestEntity.change(
      { companyId, id },
      { set: { claimedSend: send } },
      all(equals('status', 'pending'), atLeast('expiresAt', at), any(missing('claimedSend'), below('claimedSend', send))),
    ),
);

export const releaseSend = pattern(
  { asks: 'a message that proved not to have left', entity: requestEntityName, by: 'UpdateItem', units: '1 WRU' },
  async (companyId: number, id: string, send: number): Promise<void> => {
    await requestEntity.change({ companyId, id }, { set: { claimedSend: send - 1 } }, equals('claimedSend', send));
  },
);

// ---- the guard of a person -----------------------------------------------------------------------------------------------------------

const pointer = z.object({ id: z.string(), createdAt: z.int(), expiresAt: z.int(), label: z.string().optional() });
const trusted = z.object({ id: z.string(), purpose: z.string(), until: z.int(), label: z.string().optional() });

export const guardEntity = entity({
  name: 'verification-guard',
  purpose: "What a person's verifications share: messages sent, guesses, blocks, trusted requests",
  attributes: z.looseObject({
    companyId: z.int(),
    profileId: z.string(),
    person: z.string(),
    rev: z.int().default(0),
    /** When messages were asked for, newest last, epoch milliseconds. */
    sends: z.array(z.int()).default([]),
    blockedUntil: z.int().optional(),
    blockReason: z.string().optional(),
    /** When blocks began, for the longer ones that follow. */
    blocks: z.array(z.int()).default([]),
    /** Guesses of the last 24 hours; `h:<hour>` has them by hour, `g:<request>` by request. */
    spent: z.int().default(0),
    last: z.record(z.string(), pointer).default({}),
    trusted: z.array(trusted).default([]),
    until: z.int().default(0),
  }),
  key: ({ companyId, profileId, person }: GuardId) => ({ pk: `${tenant(companyId)}#V#${profileId}#${person}`, sk: 'GUARD' }),
  idOf: ({ companyId, profileId, person }) => ({ companyId, profileId, person }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#V#<profile>#<keyed hash of the identifier>', sk: 'GUARD' },
});
export type Guard = ItemOf<typeof guardEntity>;
export interface GuardId {
  companyId: number;
  profileId: string;
  person: string;
}

export const findGuard = pattern(
  { asks: "what a person's verifications share", entity: 'verification-guard', by: 'GetItem', units: '0.5 RRU' },
  (id: GuardId, options: { consistent?: boolean } = {}): Promise<Guard | undefined> => guardEntity.get(id, options),
);

export interface GuardChange {
  set: Record<string, unknown>;
  /** Guesses no longer counted, and the hours they are taken from. */
  add: Record<string, number>;
  remove: readonly string[];
}

/**
 * Writes what was decided on a guard as it was read; refused when another request decided meanwhile. Guesses may be counted beside it.
 * Without a guard (none, or one whose time is over though the table still holds it) it is written whole.
 */
export const decideGuard = pattern(
  { asks: "a decision on a person's requests", entity: 'verification-guard', by: 'UpdateItem', units: '1 WRU' },
  (id: GuardId, guard: Guard | undefined, { set, add, remove }: GuardChange, at: number): Promise<Written<Guard>> =>
    guard
      ? guardEntity.change(id, { set: { ...set, rev: guard.rev + 1 }, add, remove }, equals('rev', guard.rev))
      : guardEntity.put(guardEntity.parse({ ...id, ...set, rev: 1 }), any(missing(), atMost('until', Math.floor(at / 1_000)))),
);

/** The one block that also stops guessing at codes that are out. */
export const budgetBlock = 'guess_budget';

export const guessField = (requestId: string): string => `g:${requestId}`;
export const hourField = (at: number): string => `h:${Math.floor(at / 3_600_000)}`;

/** Counts a guess before anything is compared: refused beyond the request's attempts or the person's budget, or while blocked. */
export const countGuess = pattern(
  { asks: 'may this person guess once more', entity: 'verification-guard', by: 'UpdateItem', units: '1 WRU' },
  (id: GuardId, requestId: string, limit: { attempts: number; budget: number }, at: number): Promise<Written<Guard>> => {
    const field = guessField(requestId);
    const within: Condition = all(
      exists(),
      any(missing(field), below(field, limit.attempts)),
      any(missing('spent'), below('spent', limit.budget)),
      any(missing('blockReason'), differs('blockReason', budgetBlock), below('blockedUntil', at)),
    );
    return guardEntity.change(id, { add: { [field]: 1, [hourField(at)]: 1, spent: 1 } }, within);
  },
);

/** The same work for a request that nobody has: its count leads nowhere and is gone in an hour. */
export const countVainGuess = pattern(
  { asks: 'a guess at an unknown verification', entity: 'verification-guard', by: 'UpdateItem', units: '1 WRU' },
  async (companyId: number, profileId: string, requestId: string, at: number): Promise<void> => {
    const id = { companyId, profileId, person: `unknown-${requestId.slice(0, 2)}` };
    await guardEntity.change(id, { set: { ...id, kind: guardEntity.name, ttl: Math.floor(at / 1_000) + 3_600 }, add: { vain: 1 } });
  },
);

export const blockGuard = pattern(
  { asks: 'a block of a person', entity: 'verification-guard', by: 'UpdateItem', units: '1 WRU' },
  async (id: GuardId, blockedUntil: number, blockReason: string): Promise<void> => {
    await guardEntity.change(id, { set: { blockedUntil, blockReason } }, exists());
  },
);

// ---- the source: an address --------------------------------------------------------------------------------------------------------

const seenPrefix = 's:';

export const sourceEntity = entity({
  name: 'verification-source',
  purpose: 'Which identifiers an address asked for lately',
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
  address: string;
}

/** Notes an identifier first and gives what the address has asked for: the count comes before the decision. Refused while blocked. */
export const noteSource = pattern(
  { asks: 'which identifiers does this address ask for', entity: 'verification-source', by: 'UpdateItem', units: '1 WRU' },
  (id: SourceId, person: string, at: number, until: number): Promise<Written<Source>> =>
    sourceEntity.change(
      id,
      { set: { ...id, kind: sourceEntity.name, [`${seenPrefix}${person.slice(0, 12)}`]: at, until, ttl: until } },
      any(missing('blockedUntil'), below('blockedUntil', at)),
    ),
);

export const changeSource = pattern(
  { asks: 'a block of an address, or what it asked for long ago', entity: 'verification-source', by: 'UpdateItem', units: '1 WRU' },
  async (id: SourceId, set: { blockedUntil?: number }, remove: readonly string[]): Promise<void> => {
    await sourceEntity.change(id, { set, remove });
  },
);

/** The identifiers seen since a time, and the fields of those before. */
export const seenSince = (source: Source, since: number): { fresh: number; stale: string[] } => {
  const seen = Object.entries(source).filter(([field]) => field.startsWith(seenPrefix));
  return {
    fresh: seen.filter(([, at]) => Number(at) > since).length,
    stale: seen.filter(([, at]) => Number(at) <= since).map(([field]) => field),
  };
};

// ---- calls a minute ------------------------------------------------------------------------------------------------------------------

export const rateEntity = entity({
  name: 'verification-rate',
  purpose: 'Calls a minute of a credential for one person, one request or one address (V16)',
  attributes: z.looseObject({ companyId: z.int(), credentialId: z.int(), about: z.string(), until: z.int() }),
  key: ({ companyId, credentialId, about }: RateId) => ({ pk: `${tenant(companyId)}#V#RATE#${credentialId}#${about}`, sk: 'RATE' }),
  idOf: ({ companyId, credentialId, about }) => ({ companyId, credentialId, about }),
  expiresAt: ({ until }) => until,
  example: { pk: 'C#<company>#V#RATE#<credential>#<address or request>', sk: 'RATE' },
});
export interface RateId {
  companyId: number;
  credentialId: number;
  about: string;
}

export const callsPerMinute = 30;

/** Counts a call; the calls of this minute with it, or undefined beyond the limit. */
export const countCall = pattern(
  { asks: 'is this person, request or address within 30 calls a minute', entity: 'verification-rate', by: 'UpdateItem', units: '1 WRU' },
  async (id: RateId, at: number): Promise<number | undefined> => {
    const count = counting('calls', callsPerMinute, at);
    const until = windowEndSeconds(at) + 3_600;
    const written = await rateEntity.change(
      id,
      { ...count.change, set: { ...id, kind: rateEntity.name, until, ttl: until } },
      count.condition,
    );
    return written.done ? Number(written.item[windowField('calls', at)] ?? 1) : undefined;
  },
);
