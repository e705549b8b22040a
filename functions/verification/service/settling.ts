import { randomUUID } from 'node:crypto';
import { isProblem, problem } from '../../../shared/contract/problems.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { type Ask, bombed, guardAfter, unknownPerson, verdictOn } from '../domain/decision.ts';
import { secondsUntil } from '../domain/guard.ts';
import type { Identifier } from '../domain/identifier.ts';
import { prefixOf } from '../domain/prefix.ts';
import type { Channel } from '../domain/settings.ts';
import { decideGuard, findGuard, type Guard } from '../store/guard.ts';
import { askForSend, findRequest, insertRequest } from '../store/request.ts';
import { notePersonBlock } from './blocking.ts';
import { countryProblem, prefixProblem } from './breaker.ts';
import type { Profile } from './caller.ts';
import { end } from './ending.ts';
import { handOn } from './handing.ts';
import { newRequest, sameAgain } from './new-request.ts';

/** What somebody asks for, after the rules let it through. */
export interface Wish {
  profile: Profile;
  identifier: Identifier;
  person: string;
  channel: Channel;
  purpose: string;
  label: string | undefined;
  ip: string | undefined;
  userAgent: string | undefined;
  country: string | undefined;
  asn: number | undefined;
  risk: { score: number; reasons: string[] } | undefined;
  at: number;
  silent: boolean;
  testCode: string | undefined;
  credentialId: number;
  /** The same for every retry under one Idempotency-Key. */
  operationId: string;
  /** An exception of the profile speaks for it: neither its prefix nor its country may stop it. 0.5 RRU. */
  isExcepted: () => Promise<boolean>;
}

const mostTries = 8;
/** A request follows its guard within this time, or never. */
const inFlightMs = 3_000;

/** Decides on the guard as it was read; when another request decided meanwhile, on the guard as it is then. */
export const settle = async (wish: Wish, read: Guard | undefined) => {
  const { profile, person, at } = wish;
  const id = { companyId: profile.companyId, profileId: profile.id, person };
  const asked: Ask = { settings: profile.settings, purpose: wish.purpose, silent: wish.silent, isTest: wish.testCode !== undefined, at };
  let guard = read;
  for (let attempt = 0; attempt < mostTries; attempt++) {
    // a person nobody knows costs the same look
    const looked = findRequest(profile.companyId, guard?.last[wish.purpose]?.id ?? randomUUID(), { consistent: attempt > 0 });
    const [before, flood] = await Promise.all([looked, attempt === 0 ? floodProblem(wish) : undefined]);
    if (isProblem(flood) && !(await wish.isExcepted())) return flood;
    const pointer = guard?.last[wish.purpose];
    if (!before && pointer && pointer.createdAt > at - inFlightMs && attempt < mostTries - 1) {
      // another call is between the guard's write and its request's: its request is the one to go on with
      await new Promise((resolve) => setTimeout(resolve, 25 * (attempt + 1)));
      continue;
    }
    // a retry of a call that got this far: its message was asked for already, and perhaps not handed on
    if (before?.operationId === wish.operationId && before.status === 'pending') {
      await handOn(undefined, before);
      const reused = before.createdAt < before.lastSendAt;
      return { kind: 'asked' as const, request: before, reused, profile, identifier: wish.identifier };
    }
    const verdict = verdictOn(asked, guard ?? unknownPerson, before);
    if (verdict.act === 'refuse') {
      if (verdict.begins && guard) {
        await notePersonBlock(profile, wish, { reason: verdict.why, blockedUntil: verdict.untilMs }, at);
        await decideGuard(id, guard, { set: bombed(guard, verdict.untilMs, at), add: {}, remove: [] }, at);
      }
      return problem(verdict.why, { retryAfterSeconds: secondsUntil(verdict.untilMs, at) });
    }
    const pending = verdict.act === 'reuse' ? before : undefined;
    // a predecessor whose time is over, before its count of guesses goes with its place in the guard
    if (!pending && before?.status === 'pending') await end(before, { status: 'expired', reason: 'expired' }, guard, { expiresBy: at });
    const request = pending ? sameAgain(wish, pending) : await newRequest(wish);
    const written = await decideGuard(id, guard, guardAfter(asked, guard ?? unknownPerson, before, request), at);
    if (written.done) {
      const stored = pending ? await askForSend(pending, extension(request)) : await insertRequest(request);
      if (stored.done) {
        await handOn(pending, stored.item);
        return { kind: 'asked' as const, request: stored.item, reused: pending !== undefined, profile, identifier: wish.identifier };
      }
    }
    guard = await findGuard(id, { consistent: true });
  }
  return problem('temporarily_unavailable', { retryAfterSeconds: 1 });
};

const extension = ({ expiresAt, sends, lastSendAt, operationId }: StoredRequest): Partial<StoredRequest> => ({
  expiresAt,
  sends,
  lastSendAt,
  operationId,
});

/** The breakers of prefix and country (V15); test identifiers are not counted. */
async function floodProblem({ profile, identifier, country, testCode, at }: Wish) {
  if (testCode !== undefined || identifier.kind !== 'phone') return undefined;
  return (await prefixProblem(profile, prefixOf(identifier.value), at)) ?? (await countryProblem(profile, country, at));
}
