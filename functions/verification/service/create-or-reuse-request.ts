import { randomUUID } from 'node:crypto';
import { isProblem, problem } from '../../../shared/contract/problems.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { type DecisionInput, withBombingBlock, budgetAfter, unknownIdentifier, decideRequest } from '../domain/decision.ts';
import { secondsUntil } from '../domain/request-budget.ts';
import type { Identifier } from '../domain/identifier.ts';
import { prefixOf } from '../domain/prefix.ts';
import type { Channel } from '../domain/settings.ts';
import { updateRequestBudget, getRequestBudget, type RequestBudget } from '../store/request-budget.ts';
import { updateRequestSends, getRequest, createRequest } from '../store/request.ts';
import { recordIdentifierBlock } from './block-records.ts';
import { checkCountry, checkPrefix } from './fraud-breaker.ts';
import type { Profile } from './caller.ts';
import { finishRequest } from './finish-request.ts';
import { enqueueCode } from './enqueue-code.ts';
import { buildRequest, extendRequest } from './build-request.ts';

/** What somebody asks for, after the rules let it through. */
export interface VerificationRequest {
  profile: Profile;
  identifier: Identifier;
  person: string;
  channel: Channel;
  purpose: string;
  label: string | undefined;
  network: string | undefined;
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
  isWhitelisted: () => Promise<boolean>;
}

const maxAttempts = 8;
/** A request follows its guard within this time, or never. */
const requestGraceMs = 3_000;

/** Decides on the guard as it was read; when another request decided meanwhile, on the guard as it is then. */
export const createOrReuseRequest = async (wish: VerificationRequest, read: RequestBudget | undefined) => {
  const { profile, person, at } = wish;
  const id = { companyId: profile.companyId, profileId: profile.id, person };
  const asked: DecisionInput = {
    settings: profile.settings,
    purpose: wish.purpose,
    isSilent: wish.silent,
    isTest: wish.testCode !== undefined,
    at,
  };
  let guard = read;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    // a person nobody knows costs the same look
    const looked = getRequest(profile.companyId, guard?.last[wish.purpose]?.id ?? randomUUID(), { consistent: attempt > 0 });
    const [before, flood] = await Promise.all([looked, attempt === 0 ? checkFraudBreakers(wish) : undefined]);
    if (isProblem(flood) && !(await wish.isWhitelisted())) return flood;
    const pointer = guard?.last[wish.purpose];
    if (!before && pointer && pointer.createdAt > at - requestGraceMs && attempt < maxAttempts - 1) {
      // another call is between the guard's write and its request's: its request is the one to go on with
      await new Promise((resolve) => setTimeout(resolve, 25 * (attempt + 1)));
      continue;
    }
    // a retry of a call that got this far: its message was asked for already, and perhaps not handed on
    if (before?.operationId === wish.operationId && before.status === 'pending') {
      await enqueueCode(undefined, before);
      const reused = before.createdAt < before.lastSendAt;
      return { kind: 'asked' as const, request: before, reused, profile, identifier: wish.identifier };
    }
    const verdict = decideRequest(asked, guard ?? unknownIdentifier, before);
    if (verdict.act === 'refuse') {
      if (verdict.begins && guard) {
        await recordIdentifierBlock(profile, wish, { reason: verdict.why, blockedUntil: verdict.untilMs }, at);
        await updateRequestBudget(id, guard, { set: withBombingBlock(guard, verdict.untilMs, at), add: {}, remove: [] }, at);
      }
      return problem(verdict.why, { retryAfterSeconds: secondsUntil(verdict.untilMs, at) });
    }
    const pending = verdict.act === 'reuse' ? before : undefined;
    // a predecessor whose time is over, before its count of guesses goes with its place in the guard
    if (!pending && before?.status === 'pending')
      await finishRequest(before, { status: 'expired', reason: 'expired' }, guard, { expiresBy: at });
    const request = pending ? extendRequest(wish, pending) : await buildRequest(wish);
    const written = await updateRequestBudget(id, guard, budgetAfter(asked, guard ?? unknownIdentifier, before, request), at);
    if (written.done) {
      const stored = pending ? await updateRequestSends(pending, extendedFields(request)) : await createRequest(request);
      if (stored.done) {
        await enqueueCode(pending, stored.item);
        return { kind: 'asked' as const, request: stored.item, reused: pending !== undefined, profile, identifier: wish.identifier };
      }
    }
    guard = await getRequestBudget(id, { consistent: true });
  }
  return problem('temporarily_unavailable', { retryAfterSeconds: 1 });
};

const extendedFields = ({ expiresAt, sends, lastSendAt, operationId }: StoredRequest): Partial<StoredRequest> => ({
  expiresAt,
  sends,
  lastSendAt,
  operationId,
});

/** The breakers of prefix and country (V15); test identifiers are not counted. */
async function checkFraudBreakers({ profile, identifier, country, testCode, at }: VerificationRequest) {
  if (testCode !== undefined || identifier.kind !== 'phone') return undefined;
  return (await checkPrefix(profile, prefixOf(identifier.value), at)) ?? (await checkCountry(profile, country, at));
}
