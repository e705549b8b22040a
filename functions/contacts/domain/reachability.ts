import { dayMs, minuteMs } from '../../../shared/runtime/clock.ts';
import { verdictLifetimeMs } from '../contract/eligibility.ts';
import type { Reachability } from '../contract/phone-check.ts';

/**
 * Whether a phone is on WhatsApp (A16, A17). The provider offers no check, so messages are the evidence: an inbound or delivered message
 * proves that the phone is there, two undeliverable messages a day or more apart that it is not.
 * Evidence is stored as times, not as counts, so that repeated, late or reordered evidence gives the same result.
 * See docs/decisions/phone-reachability.md.
 */

export type Evidence = { kind: 'seen' | 'missed'; at: number };

export interface Verdict {
  exists: boolean;
  /** Time of the evidence, epoch milliseconds. */
  at: number;
}

export const cooldownMs = 15 * minuteMs;
export const pendingMs = dayMs;
export const missesApartMs = dayMs;
export const liveChecks = { perMinute: 30, perDay: 1_000 } as const;

/** A new proof is stored only when the stored one is older than half its lifetime, so that repeated evidence costs no write. */
const proofRefreshMs = verdictLifetimeMs(true) / 2;

export const noEvidence = (companyId: number, phone: string): Reachability => ({ companyId, phone, rev: 0, checkpoints: {} });

/** The row with one more piece of evidence; the same object when nothing changes. */
export const withEvidence = (row: Reachability, { kind, at }: Evidence): Reachability =>
  kind === 'seen' ? withProof(row, at) : withMiss(row, at);

/** The verdict of the evidence, valid or expired. */
export const verdictOf = ({ seenAt, missedAt, missedLastAt }: Reachability): Verdict | undefined => {
  if (missedAt !== undefined && missedLastAt !== undefined && missedLastAt - missedAt >= missesApartMs)
    return { exists: false, at: missedLastAt };
  return seenAt === undefined ? undefined : { exists: true, at: seenAt };
};

export type PhoneCheckResult =
  | { status: 'settled'; exists: boolean; source: 'webhook' | 'cache'; cooldownUntil: number | undefined }
  | { status: 'pending' | 'inconclusive'; cooldownUntil: number | undefined }
  /** No valid verdict: the caller starts a live check. */
  | { status: 'check_needed'; pendingSince: number };

/**
 * The result of a check now. `refresh` ignores earlier evidence, except during the cooldown. A pending check is not started again; after a
 * day without evidence it is inconclusive, for as long as a negative verdict is valid.
 */
export const checkResultOf = (row: Reachability | undefined, refresh: boolean, now: number): PhoneCheckResult => {
  const verdict = row && verdictOf(row);
  const cooldownUntil = row?.checkedAt !== undefined && row.checkedAt + cooldownMs > now ? row.checkedAt + cooldownMs : undefined;
  if (verdict && now - verdict.at < verdictLifetimeMs(verdict.exists) && (!refresh || cooldownUntil !== undefined)) {
    const isFromCheck = row.checkedAt === undefined || verdict.at >= secondOf(row.checkedAt);
    return { status: 'settled', exists: verdict.exists, source: isFromCheck && !refresh ? 'webhook' : 'cache', cooldownUntil };
  }
  const { pendingSince } = row ?? {};
  const waitedMs = pendingSince === undefined || (verdict && verdict.at >= secondOf(pendingSince)) ? undefined : now - pendingSince;
  if (waitedMs !== undefined && (!refresh || cooldownUntil !== undefined)) {
    if (waitedMs < pendingMs) return { status: 'pending', cooldownUntil };
    if (waitedMs < pendingMs + verdictLifetimeMs(false)) return { status: 'inconclusive', cooldownUntil };
  }
  return { status: 'check_needed', pendingSince: waitedMs !== undefined && waitedMs < pendingMs ? now - waitedMs : now };
};

/** The provider reports times in whole seconds, so evidence from the second of a check may be later than the check. */
const secondOf = (at: number): number => Math.floor(at / 1_000) * 1_000;

function withProof(row: Reachability, at: number): Reachability {
  const { seenAt, missedAt, missedLastAt } = row;
  const disproves = missedAt !== undefined && missedAt < at;
  if (!disproves && seenAt !== undefined && at - seenAt < proofRefreshMs) return row;
  // an undeliverable message in the same second as the proof still counts, also when either is repeated
  const laterMiss = missedLastAt !== undefined && missedLastAt >= at ? missedLastAt : undefined;
  return { ...row, seenAt: Math.max(seenAt ?? at, at), missedAt: disproves ? laterMiss : missedAt, missedLastAt: laterMiss };
}

function withMiss(row: Reachability, at: number): Reachability {
  if (row.seenAt !== undefined && at < row.seenAt) return row;
  const [first, last] = [Math.min(row.missedAt ?? at, at), Math.max(row.missedLastAt ?? at, at)];
  return first === row.missedAt && last === row.missedLastAt ? row : { ...row, missedAt: first, missedLastAt: last };
}
