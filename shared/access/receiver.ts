import { limits, type LimitClass, type Principal } from '../contract/route.ts';
import { problem, type Problem } from '../contract/problems.ts';
import { hourMs, now } from '../runtime/clock.ts';
import { log } from '../runtime/log.ts';
import { processMap } from '../runtime/memory.ts';
import { all, exists } from '../table/condition.ts';
import { pattern } from '../table/pattern.ts';
import {
  type Authentication,
  type Credential,
  credentialEntity,
  credentialProblem,
  exhausted,
  principalOf,
  rateLimited,
  type RateState,
  rateState,
  removeStaleWindows,
} from './credential.ts';
import { hasTokenPrefix, tokenHash } from './token.ts';
import { countInWindow } from './window.ts';

/**
 * Receivers: URLs with a webhook token, to which a provider or a store platform posts. A signed post has no limit by the minute, so the
 * token is not counted by each post: it is read eventually, and at most once in ten seconds by a process. Only posts whose signature is
 * missing or wrong are counted. See docs/decisions/receivers-without-a-limit.md.
 */
const receiverLifeMs = 10_000;
const mostReceivers = 1_000;

/** By the hash of the token. Only valid receivers stay. */
const readReceivers = processMap<string, { reading: Promise<Reading>; readAt: number }>();

type Reading = { ok: true; principal: Principal; credential: Credential } | Extract<Authentication, { ok: false }>;

export const authenticateReceiver = pattern(
  { question: 'whose receiver is this token', entity: 'credential', by: 'GetItem', units: '0.5 RRU, at most once in 10 s by a process' },
  async (secret: string, limit: LimitClass): Promise<Authentication> => {
    if (!hasTokenPrefix('webhook_token', secret)) return { ok: false, problem: problem('token_invalid') };
    const at = now();
    const read = await recentReading(tokenHash(secret), at);
    return read.ok ? { ok: true, principal: read.principal, rate: rateState(read.credential, limit, at) } : read;
  },
);

async function recentReading(hash: string, at: number): Promise<Reading> {
  const held = readReceivers.get(hash);
  if (held && at - held.readAt < receiverLifeMs && at >= held.readAt) return held.reading;
  const reading = readReceiver(hash, at);
  readReceivers.delete(hash);
  // the oldest entry is the first
  if (readReceivers.size >= mostReceivers) readReceivers.delete(readReceivers.keys().next().value ?? '');
  readReceivers.set(hash, { reading, readAt: at });
  const isValid = await reading.then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isValid && readReceivers.get(hash)?.reading === reading) readReceivers.delete(hash);
  return reading;
}

async function readReceiver(hash: string, at: number): Promise<Reading> {
  const credential = await credentialEntity.get({ hash });
  const refused = credentialProblem(credential, at);
  if (!credential || refused) return { ok: false, problem: refused ?? problem('token_invalid') };
  await recordUse(credential, at);
  return { ok: true, principal: principalOf(credential, false), credential };
}

/** Counts a post whose signature is missing or wrong; with a problem beyond the limit of the minute. */
export const countUnsignedPost = pattern(
  { question: 'is a receiver within its limit of unsigned posts', entity: 'credential', by: 'UpdateItem', units: '1 WRU' },
  async (secret: string, limit: LimitClass): Promise<{ rate: RateState; problem?: Problem<'rate_limited'> }> => {
    const at = now();
    const count = countInWindow(limit, limits[limit].perMinute, at);
    const written = await credentialEntity.change({ hash: tokenHash(secret) }, count.change, all(exists(), count.condition));
    if (!written.done) return { rate: exhausted(limit, at), problem: rateLimited(limit, at) };
    await removeStaleWindows(written.item, at);
    return { rate: rateState(written.item, limit, at) };
  },
);

/**
 * What the receiver's posts are checked against, such as its signing secrets. Read once for each reading of the receiver, so at most once
 * in ten seconds, and again when it does not suffice: a new secret is valid at once, a removed one for ten seconds more.
 */
export const readForReceiver = async <T>(
  receiver: Principal,
  name: string,
  read: () => Promise<T>,
  suffices: (value: T) => boolean | Promise<boolean>,
): Promise<T> => {
  const values = readValues.get(receiver) ?? new Map<string, Promise<unknown>>();
  readValues.set(receiver, values);
  const held = values.get(name) as Promise<T> | undefined;
  if (held) {
    const value = await held;
    if (await suffices(value)) return value;
  }
  const reading = read();
  values.set(name, reading);
  reading.catch(() => values.delete(name));
  return reading;
};

const readValues = new WeakMap<Principal, Map<string, Promise<unknown>>>();

/** The last use, to the hour. */
async function recordUse({ hash, lastUsedAt = 0 }: Credential, at: number): Promise<void> {
  const hour = Math.floor(at / hourMs) * hourMs;
  if (lastUsedAt >= hour) return;
  await credentialEntity
    .change({ hash }, { set: { lastUsedAt: hour } }, exists())
    .catch((error: unknown) => log.error('The last use of a receiver could not be recorded', error));
}
