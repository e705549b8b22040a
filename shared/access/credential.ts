import * as z from 'zod';
import { type LimitClass, limits, type Principal, type Role, roles, type Scope, scopes } from '../contract/route.ts';
import { problem, type Problem } from '../contract/problems.ts';
import { protectedPartitions } from '../contract/resource.ts';
import { log } from '../runtime/log.ts';
import { minuteMs, now } from '../runtime/clock.ts';
import { all, above, exists } from '../table/condition.ts';
import { entity, type ItemOf } from '../table/entity.ts';
import { pattern } from '../table/pattern.ts';
import { tenant } from '../table/schema.ts';
import { networkOf } from './network.ts';
import { sessionIdleMs } from './session.ts';
import { hasTokenPrefix, type TokenKind, tokenHash } from './token.ts';
import { countInWindow, staleWindowFields, windowEndSeconds, windowField } from './window.ts';

/**
 * A credential: a personal access token, a session, an ERP or webhook token, or a verification key, stored under the hash of its secret. The item
 * holds everything a request must know about its caller, so one conditional write authenticates, counts and records the use.
 */
export const credentialEntity = entity({
  name: 'credential',
  purpose: 'A token or key by the hash of its secret: its owner, role and scopes, and its requests of this minute',
  attributes: z.looseObject({
    hash: z.string(),
    credentialKind: z.enum(['token', 'session', 'erp_token', 'webhook_token', 'public_key', 'secret_key']),
    companyId: z.int(),
    id: z.int(),
    userId: z.int().default(0),
    role: z.enum(roles),
    scopes: z.array(z.enum(scopes)),
    subject: z.string().optional(),
    /** Addresses and networks that may use it; absent: all. */
    networks: z.array(z.string()).optional(),
    subjectStatus: z.enum(['active', 'inactive']).optional(),
    /** Of the subject, as of the last change of it that was answered. Absent: not known, so the subject is read. */
    subjectRevision: z.int().optional(),
    status: z.enum(['active', 'revoked']),
    companyStatus: z.enum(['active', 'suspended']),
    /** Rule G18: the company takes it from a header alone. */
    refusesQueryToken: z.literal(true).optional(),
    /** The company takes no unknown field in a body. */
    refusesUnknownFields: z.literal(true).optional(),
    /** Which of its calls the company has in its request log; absent: those that were refused. */
    logsRequests: z.enum(['all', 'none']).optional(),
    /** With what they sent and got. */
    logsBodies: z.literal(true).optional(),
    /** Epoch milliseconds; absent: never. */
    expiresAt: z.int().optional(),
    /** A rotation put another secret in its place. */
    isReplaced: z.literal(true).optional(),
    /** Of a session: when its user proved to be there. */
    provenAt: z.int().optional(),
    lastUsedAt: z.int().optional(),
    /** Of a session: epoch seconds after which the item goes. */
    until: z.int().optional(),
  }),
  key: ({ hash }: { hash: string }) => ({ pk: `${protectedPartitions.credential}${hash}`, sk: 'KEY' }),
  idOf: ({ hash }) => ({ hash }),
  expiresAt: ({ until }) => until,
  example: { pk: 'KEY#<sha256 of the secret>', sk: 'KEY' },
});
export type Credential = ItemOf<typeof credentialEntity>;

export interface RateState {
  limit: number;
  remaining: number;
  /** Unix seconds. */
  resetAt: number;
}

export type Authentication =
  | { ok: true; principal: Principal; rate: RateState }
  | {
      ok: false;
      problem: Problem<'token_invalid' | 'token_expired' | 'token_revoked' | 'company_suspended' | 'rate_limited'>;
      rate?: RateState;
    };

/**
 * Authenticates a secret and counts the request with one conditional write; what it gives back says whether the credential is valid. There is no
 * cache, so a revoked token fails on the next request. A secret of the wrong form is refused without a request to the table.
 */
export const authenticate = pattern(
  { question: 'is this token valid and within its rate limit', entity: 'credential', by: 'UpdateItem', units: '1 WRU' },
  async (kinds: readonly TokenKind[], secret: string, limit: LimitClass): Promise<Authentication> => {
    if (!kinds.some((kind) => hasTokenPrefix(kind, secret))) return { ok: false, problem: problem('token_invalid') };
    const at = now();
    const hash = tokenHash(secret);
    const { perMinute } = limits[limit];
    const count = countInWindow(limit, perMinute, at);
    const written = await credentialEntity.change(
      { hash },
      { ...count.change, set: { lastUsedAt: Math.floor(at / minuteMs) * minuteMs } },
      all(exists(), ...(hasTokenPrefix('session', secret) ? [above('lastUsedAt', at - sessionIdleMs)] : []), count.condition),
    );
    if (!written.done) {
      const refused = credentialProblem(written.current, at);
      return refused ? { ok: false, problem: refused } : { ok: false, problem: rateLimited(limit, at), rate: exhausted(limit, at) };
    }
    // a condition on its state would let the role of every function write that: a revoked credential is counted, and refused
    const ended = credentialProblem(written.item, at);
    if (ended) return { ok: false, problem: ended };
    await removeStaleWindows(written.item, at);
    return {
      ok: true,
      principal: principalOf(written.item, hasTokenPrefix('test_public_key', secret) || hasTokenPrefix('test_secret_key', secret)),
      rate: rateState(written.item, limit, at),
    };
  },
);

/**
 * Whether a secret is that of a valid credential, without counting a call, where the address of the caller is refused. Read, not written: a
 * stranger's flood of made-up secrets costs half a read unit each, some per cent of what starting a function for it costs.
 */
export const isValidCredential = pattern(
  { question: 'is this token valid, though its address is refused', entity: 'credential', by: 'GetItem', units: '0.5 RRU' },
  async (kinds: readonly TokenKind[], secret: string): Promise<boolean> => {
    if (!kinds.some((kind) => hasTokenPrefix(kind, secret))) return false;
    const refused = credentialProblem(await credentialEntity.get({ hash: tokenHash(secret) }), now());
    return !refused || !isOfToken(refused);
  },
);

/** The credential itself is refused, and not its company or the number of its requests. */
export const isOfToken = ({ problem: code }: Problem): boolean => code.startsWith('token_');

/** The requests of a company, for rate limits that count by company. */
export const companyLimitEntity = entity({
  name: 'company-limit',
  purpose: 'Requests of a company in this minute, by rate limit, and the read units of all its requests',
  attributes: z.looseObject({ companyId: z.int(), limit: z.string() }),
  key: ({ companyId, limit }: { companyId: number; limit: string }) => ({ pk: `${tenant(companyId)}#LIMIT`, sk: limit }),
  idOf: ({ companyId, limit }) => ({ companyId, limit }),
  example: { pk: 'C#<company>#LIMIT', sk: '<limit class>' },
});

export const countCompanyRequest = pattern(
  { question: 'is the company within its rate limit', entity: 'company-limit', by: 'UpdateItem', units: '1 WRU' },
  async (companyId: number, limit: LimitClass): Promise<{ ok: boolean; rate: RateState; problem?: Problem<'rate_limited'> }> => {
    const at = now();
    const count = countInWindow(limit, limits[limit].perMinute, at);
    const written = await companyLimitEntity.change({ companyId, limit }, { ...count.change, set: { companyId, limit } }, count.condition);
    if (written.done) {
      const stale = staleWindowFields(written.item, at);
      if (stale.length > 8) await companyLimitEntity.change({ companyId, limit }, { remove: stale });
      return { ok: true, rate: rateState(written.item, limit, at) };
    }
    return { ok: false, rate: exhausted(limit, at), problem: rateLimited(limit, at) };
  },
);

/** Adds to the read units of a company's minute; the total. */
export const countCompanyReadUnits = pattern(
  {
    question: 'what the requests of a company have read this minute',
    entity: 'company-limit',
    by: 'UpdateItem',
    units: '1 WRU for 250 RRU',
  },
  async (companyId: number, units: number): Promise<number> => {
    const at = now();
    const limit = 'read_units';
    const field = windowField(limit, at);
    const past = [1, 2].map((back) => windowField(limit, at - back * minuteMs));
    const written = await companyLimitEntity.change(
      { companyId, limit },
      { add: { [field]: units }, remove: past, set: { companyId, limit } },
    );
    if (!written.done) throw new Error('An unconditional write was refused.');
    const stale = staleWindowFields(written.item, at);
    if (stale.length > 8) await companyLimitEntity.change({ companyId, limit }, { remove: stale });
    return Number(written.item[field] ?? 0);
  },
);

/** The requests of callers without a credential, by network address or by what they are known by. The items expire an hour after their minute. */
export const addressLimitEntity = entity({
  name: 'address-limit',
  purpose: 'Requests of an address without a token, or of a browser that is known, and its refused credentials, in this minute',
  attributes: z.looseObject({ address: z.string(), limit: z.string(), until: z.int() }),
  key: ({ address, limit }: { address: string; limit: string }) => ({ pk: `IP#${address}`, sk: limit }),
  idOf: ({ address, limit }) => ({ address, limit }),
  expiresAt: ({ until }) => until,
  personalData: 'address of a caller',
  endsBy: 'expiry, within minutes',
  example: { pk: 'IP#<address>', sk: '<limit class>' },
});

export const countAddressRequest = pattern(
  { question: 'is this address within its rate limit', entity: 'address-limit', by: 'UpdateItem', units: '1 WRU' },
  async (
    address: string,
    limit: LimitClass,
    requests: number = 1,
  ): Promise<{ ok: boolean; rate: RateState; problem?: Problem<'rate_limited'> }> => {
    const at = now();
    const count = countInWindow(limit, limits[limit].perMinute, at, requests);
    const until = windowEndSeconds(at) + 3_600;
    const id = { address: networkOf(address), limit };
    const written = await addressLimitEntity.change(id, { ...count.change, set: { ...id, until, ttl: until } }, count.condition);
    if (written.done) return { ok: true, rate: rateState(written.item, limit, at) };
    return { ok: false, ...addressLimited(limit, at) };
  },
);

/** Calls that a caller without a credential has of its own, beside those of its address. */
export interface OwnCalls {
  /** What it is known by. */
  id: string;
  mostPerMinute: number;
  /** In whose minute they are counted: now, or when they were paid for. */
  at: number;
}

export const countOwnCall = pattern(
  { question: 'has this caller calls of its own left', entity: 'address-limit', by: 'UpdateItem', units: '1 WRU' },
  async ({ id: address, mostPerMinute, at }: OwnCalls, limit: LimitClass): Promise<RateState | undefined> => {
    const count = countInWindow(limit, mostPerMinute, at);
    const until = windowEndSeconds(at) + 3_600;
    const id = { address, limit };
    const written = await addressLimitEntity.change(id, { ...count.change, set: { ...id, until, ttl: until } }, count.condition);
    if (!written.done) return undefined;
    const used = Number(written.item[windowField(limit, at)] ?? 0);
    return { limit: mostPerMinute, remaining: Math.max(0, mostPerMinute - used), resetAt: windowEndSeconds(now()) };
  },
);

export const addressLimited = (limit: LimitClass, at: number): { rate: RateState; problem: Problem<'rate_limited'> } => ({
  rate: exhausted(limit, at),
  problem: rateLimited(limit, at),
});

export const accessProblem = (
  principal: Principal,
  scope: Scope,
  role: Role,
): Problem<'insufficient_scope' | 'role_required'> | undefined => {
  if (!principal.scopes.includes(scope))
    return problem('insufficient_scope', { message: `The token does not have the scope ${scope}.`, details: { required: scope } });
  if (roles.indexOf(principal.role) < roles.indexOf(role))
    return problem('role_required', {
      message: `The operation needs the role ${role} or above, not ${principal.role}.`,
      details: { role },
    });
  return undefined;
};

/** Why a credential is not valid; undefined: it is. */
export function credentialProblem(
  current: Credential | undefined,
  at: number,
): Problem<'token_invalid' | 'token_expired' | 'token_revoked' | 'company_suspended'> | undefined {
  if (!current) return problem('token_invalid');
  const why = current.isReplaced ? replacedSecret : {};
  if (current.status === 'revoked') return problem('token_revoked', why);
  if (current.expiresAt !== undefined && current.expiresAt <= at) return problem('token_expired', why);
  if (current.credentialKind === 'session' && (current.lastUsedAt ?? 0) <= at - sessionIdleMs) return problem('token_expired');
  return current.companyStatus === 'suspended' ? problem('company_suspended') : undefined;
}

const replacedSecret = {
  message: 'A rotation put another secret in the place of this one.',
  remedy: 'Use the secret that the rotation answered with. Where it is lost, rotate once more, or create another token.',
};

export function rateLimited(limit: LimitClass, at: number): Problem<'rate_limited'> {
  const { perMinute, by } = limits[limit];
  return problem('rate_limited', {
    message: `More than ${perMinute} requests a minute.`,
    retryAfterSeconds: Math.max(1, Math.ceil(windowEndSeconds(at) - at / 1_000)),
    details: { scope: `${limit} per ${by}`, limit: perMinute },
  });
}

export function rateState(item: Record<string, unknown>, limit: LimitClass, at: number): RateState {
  const { perMinute } = limits[limit];
  const used = Number(item[windowField(limit, at)] ?? 0);
  return { limit: perMinute, remaining: Math.max(0, perMinute - used), resetAt: windowEndSeconds(at) };
}

export function exhausted(limit: LimitClass, at: number): RateState {
  return { limit: limits[limit].perMinute, remaining: 0, resetAt: windowEndSeconds(at) };
}

export function principalOf(credential: Credential, isTest: boolean): Principal {
  return {
    companyId: credential.companyId,
    userId: credential.userId,
    credentialId: credential.id,
    credentialKind: credential.credentialKind,
    role: credential.role,
    scopes: credential.scopes,
    subject: credential.subject,
    networks: credential.networks,
    expiresAt: credential.expiresAt,
    provenAt: credential.provenAt,
    subjectStatus: credential.subjectStatus ?? 'active',
    subjectRevision: credential.subjectRevision,
    isTest,
    refusesQueryToken: credential.refusesQueryToken ?? false,
    refusesUnknownFields: credential.refusesUnknownFields ?? false,
    logsRequests: credential.logsRequests ?? 'refused',
    logsBodies: credential.logsBodies ?? false,
  };
}

export async function removeStaleWindows(item: Credential, at: number): Promise<void> {
  const stale = staleWindowFields(item, at);
  if (stale.length <= 8) return;
  await credentialEntity
    .change({ hash: item.hash }, { remove: stale })
    .catch((error: unknown) => log.error('Old rate windows could not be removed from a token', error));
}
