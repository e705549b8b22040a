import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { problem, problems } from '../contract/problems.ts';
import { now } from '../runtime/clock.ts';
import { sha256, ulid } from '../runtime/ids.ts';
import { canonical } from '../runtime/json.ts';
import { log } from '../runtime/log.ts';
import { all, equals, missing } from '../table/condition.ts';
import { entity, type ItemOf } from '../table/entity.ts';
import { tenant } from '../table/schema.ts';
import { problemResult } from './answer.ts';
import {
  type Exchange,
  headersOf,
  type HttpEvent,
  type HttpResult,
  type Middleware,
  RefusedRequest,
  type RoutedEvent,
  type RoutedExchange,
} from './exchange.ts';
import { isFinalOutcome } from './stages.ts';

/**
 * Idempotency-Key (decision G19). The first request claims the key; its operation id and start time are kept with it, so that a retry
 * after a crash or a 5xx resumes the same operation (a send meets its own message row) instead of beginning another.
 */
export const idempotencyEntity = entity({
  name: 'idempotency-key',
  purpose: 'A request under an Idempotency-Key: its fingerprint, its operation, its answer once there is one',
  attributes: z.object({
    companyId: z.int(),
    hash: z.string(),
    fingerprint: z.string(),
    operationId: z.string(),
    startedAt: z.int(),
    /** `free`: refused by validation, so that the next request under the key is a new one. */
    state: z.enum(['running', 'open', 'done', 'free']),
    /** Epoch milliseconds: while running and before this, the first request is believed alive. */
    leaseUntil: z.int(),
    /** What the operation drew before its effect, by name: who repeats it draws the same. */
    drawn: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    /** The body is encrypted under the Idempotency-Key itself, which the table does not hold. */
    answer: z.object({ statusCode: z.int(), headers: z.record(z.string(), z.string()), body: z.string().optional() }).optional(),
    expires: z.int(),
  }),
  key: ({ companyId, hash }: { companyId: number; hash: string }) => ({ pk: `${tenant(companyId)}#IDEM#${hash}`, sk: 'IDEM' }),
  idOf: ({ companyId, hash }) => ({ companyId, hash }),
  expiresAt: ({ expires }) => expires,
  personalData: 'an answer, encrypted under the key that its caller has',
  endsBy: 'expiry, after a day',
  example: { pk: 'C#<company>#IDEM#<sha256 of path and key>', sk: 'IDEM' },
});
type Claim = ItemOf<typeof idempotencyEntity>;

const leaseMs = 35_000;
const retentionSeconds = 24 * 3_600;

/** For routes that are `secret`: seals the stored answer, and hashes the request's body with a key, which no list of guesses reverses. */
export interface Seal {
  seal: (plain: string, about: string) => Promise<string>;
  unseal: (sealed: string, about: string) => Promise<string>;
  keyedHashes: (purpose: string, value: string) => Promise<string[]>;
}

export const idempotency = (given?: Seal): Middleware => {
  const claims = new WeakMap<Exchange, Claim>();
  const firstClaims = new WeakSet<Exchange>();
  return {
    before: async ({ event }) => {
      const key = keyOf(event);
      const { exchange } = event;
      if (key === undefined || exchange.route.effect !== 'write' || !exchange.principal) return;
      if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw new RefusedRequest(problem('invalid_idempotency_key'));
      const seal = sealOf(exchange, given);
      const prints = seal ? await seal.keyedHashes('fingerprint', fingerprint(event)) : [fingerprint(event)];
      const { claimed, isFirst } = await claim(exchange.principal.companyId, sha256(`${exchange.route.path} ${key}`), prints, exchange);
      if (isFirst) firstClaims.add(exchange);
      if (isAnswer(claimed)) {
        exchange.replayed = true;
        // not returned from here: an early answer would pass by the stages that give every answer its headers
        exchange.storedResponse = await unsealResponse(
          withBody(claimed, (body) => decrypt(key, body)),
          exchange,
          seal,
        );
        return;
      }
      exchange.operationId = claimed.operationId;
      exchange.startedAt = claimed.startedAt;
      exchange.once = async (name, draw) => {
        const held = claims.get(exchange) ?? claimed;
        const before = held.drawn?.[name];
        if (before !== undefined) return before as Awaited<ReturnType<typeof draw>>;
        const value = await draw();
        claims.set(exchange, await storeDrawn(held, { ...held.drawn, [name]: value }));
        return value;
      };
      claims.set(exchange, claimed);
    },
    after: async ({ event, response }) => {
      const held = claims.get(event.exchange);
      if (!held || !response) return;
      const sealed = await sealResponse(response, event.exchange, sealOf(event.exchange, given));
      await storeResponse(held, encrypted(event, sealed));
    },
    onError: async ({ event, error }) => {
      const held = claims.get(event.exchange);
      if (!held) return;
      if (error instanceof RefusedRequest && isFinalOutcome(error.refusal.problem))
        return storeResponse(held, encrypted(event, problemResult(error.refusal, event.exchange)));
      const isUnused = firstClaims.has(event.exchange) && held.drawn === undefined && error instanceof RefusedRequest && isInvalid(error);
      await release(held, isUnused ? 'free' : 'open');
    },
  };
};

/** Undefined: nothing of the route is secret. */
function sealOf({ route, routeName }: RoutedExchange, given: Seal | undefined): Seal | undefined {
  if (route.secret !== true) return undefined;
  if (!given) throw new Error(`${routeName} is secret: its function must give serve a seal.`);
  return given;
}

async function sealResponse(response: HttpResult, exchange: Exchange, seal: Seal | undefined): Promise<HttpResult> {
  return seal && isSealed(response) ? { ...response, body: await seal.seal(response.body, aboutAnswer(exchange)) } : response;
}

async function unsealResponse(stored: HttpResult, exchange: Exchange, seal: Seal | undefined): Promise<HttpResult> {
  return seal && isSealed(stored) ? { ...stored, body: await seal.unseal(stored.body, aboutAnswer(exchange)) } : stored;
}

const aboutAnswer = ({ principal, routeName }: Exchange): string => `kept-answer:${principal?.companyId ?? 0}:${routeName}`;

/** A refusal says no secret. */
const isSealed = (answer: HttpResult): answer is HttpResult & { body: string } =>
  answer.body !== undefined && (answer.statusCode ?? 200) < 300;

const withBody = (response: HttpResult, change: (body: string) => string): HttpResult =>
  response.body === undefined ? response : { ...response, body: change(response.body) };

const encrypted = (event: HttpEvent, response: HttpResult): HttpResult => withBody(response, (body) => encrypt(keyOf(event) ?? '', body));

/**
 * A stored answer may say what is known of a contact, and no erasure finds it by the contact. The table holds only a hash of the
 * Idempotency-Key, so that without the caller's repetition no one reads the answer. AES-256-GCM.
 */
function encrypt(key: string, plain: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', answerKey(key), iv);
  return Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

function decrypt(key: string, stored: string): string {
  const bytes = Buffer.from(stored, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', answerKey(key), bytes.subarray(0, 12), { authTagLength: 16 });
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
}

const answerKey = (key: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', 'stored-answer', 32));

interface Claimed {
  claimed: Claim | HttpResult;
  /** Whether no earlier request under the key can have written anything. */
  isFirst: boolean;
}

/** Refused for what was sent, before anything was written. */
const isInvalid = ({ refusal }: RefusedRequest): boolean => [400, 413, 415, 422].includes(problems[refusal.problem].status);

/** `prints`: of the request, the current one first; more than one while the keys change. */
async function claim(companyId: number, hash: string, prints: readonly string[], exchange: Exchange): Promise<Claimed> {
  const at = now();
  const fresh: Claim = {
    companyId,
    hash,
    fingerprint: prints[0] ?? '',
    operationId: ulid(at),
    startedAt: exchange.startedAt,
    state: 'running',
    leaseUntil: at + leaseMs,
    expires: Math.floor(at / 1_000) + retentionSeconds,
  };
  const written = await idempotencyEntity.put(fresh, missing());
  if (written.done) return { claimed: fresh, isFirst: true };
  const held = written.current;
  if (!held) throw new RefusedRequest(problem('idempotency_in_progress', { retryAfterSeconds: 1 }));
  if (held.state === 'free') {
    const reused = await idempotencyEntity.put(fresh, all(equals('operationId', held.operationId), equals('state', 'free')));
    if (!reused.done) throw new RefusedRequest(problem('idempotency_in_progress', { retryAfterSeconds: 1 }));
    return { claimed: fresh, isFirst: true };
  }
  if (!prints.includes(held.fingerprint)) throw new RefusedRequest(problem('idempotency_key_reused'));
  if (held.state === 'done' && held.answer) return { claimed: held.answer, isFirst: false };
  if (held.state === 'running' && held.leaseUntil > at)
    throw new RefusedRequest(problem('idempotency_in_progress', { retryAfterSeconds: 1 }));
  const taken = await idempotencyEntity.change(
    { companyId, hash },
    { set: { state: 'running', leaseUntil: at + leaseMs } },
    all(equals('operationId', held.operationId), equals('state', held.state), equals('leaseUntil', held.leaseUntil)),
  );
  if (!taken.done) throw new RefusedRequest(problem('idempotency_in_progress', { retryAfterSeconds: 1 }));
  return { claimed: taken.item, isFirst: false };
}

/** Refuses when the lease is over and another request goes on with the operation. */
async function storeDrawn({ companyId, hash, operationId, leaseUntil }: Claim, drawn: NonNullable<Claim['drawn']>): Promise<Claim> {
  const isMine = all(equals('operationId', operationId), equals('leaseUntil', leaseUntil));
  const changed = await idempotencyEntity.change({ companyId, hash }, { set: { drawn } }, isMine);
  if (!changed.done) throw new RefusedRequest(problem('idempotency_in_progress', { retryAfterSeconds: 1 }));
  return changed.item;
}

const maxAnswerChars = 270_000;

async function storeResponse(held: Claim, response: HttpResult): Promise<void> {
  // an answer that no item can hold is made again by a repetition, which continues the operation
  if ((response.statusCode ?? 200) >= 500 || (response.body?.length ?? 0) > maxAnswerChars) return release(held, 'open');
  const headers = Object.fromEntries(Object.entries(response.headers ?? {}).map(([name, value]) => [name, String(value)]));
  const answer = { statusCode: response.statusCode ?? 200, headers, ...(response.body === undefined ? {} : { body: response.body }) };
  await idempotencyEntity
    .change({ companyId: held.companyId, hash: held.hash }, { set: { state: 'done', answer } }, equals('operationId', held.operationId))
    .catch((error: unknown) => log.error('An answer could not be kept under its Idempotency-Key', error));
}

/** After a refusal or a failure: `open` keeps the key with its operation, which the next request continues; `free` gives the key back. */
async function release(held: Claim, state: 'open' | 'free'): Promise<void> {
  await idempotencyEntity
    .change({ companyId: held.companyId, hash: held.hash }, { set: { state } }, equals('operationId', held.operationId))
    .catch((error: unknown) => log.error('An Idempotency-Key could not be released', error));
}

function keyOf(event: HttpEvent): string | undefined {
  return (
    headersOf(event)['idempotency-key'] ??
    (event.requestContext.http.method === 'GET' ? event.queryStringParameters?.['idempotency_key'] : undefined)
  );
}

/** Method, path without its alias prefix, canonical body, and whose key it is (decision G19). */
function fingerprint(event: RoutedEvent): string {
  const { exchange } = event;
  const { idempotency_key: _key, ...query } = exchange.query;
  const request = [event.requestContext.http.method, exchange.route.path, exchange.pathParameters, query, exchange.body ?? null];
  return createHash('sha256')
    .update(canonical([...request, ...callerScope(exchange)]))
    .digest('hex');
}

/**
 * What of the caller an Idempotency-Key belongs to, beyond the company: the profile of a verification key and, as everybody may hold it,
 * the public key itself; the user of an own record, and of a secret, which a role may not be allowed to see. Another caller with the same key and body gets no answer of the first one.
 */
export function callerScope({ route, principal }: Pick<RoutedExchange, 'route' | 'principal'>): (string | number)[] {
  if (!principal) return [];
  if (route.isOwnRecord || (route.secret && route.caller.kind === 'token')) return ['user', principal.userId];
  if (route.caller.kind !== 'public_key') return [];
  return ['profile', principal.subject ?? '', principal.credentialKind === 'public_key' ? principal.credentialId : 0];
}

function isAnswer(value: Claim | HttpResult): value is HttpResult {
  return !('fingerprint' in value);
}
