import { dayMs } from '../../../shared/runtime/clock.ts';

/**
 * Whether a phone is on WhatsApp (decisions A16, A17). The provider has no check to call: what is known comes from what happens to
 * messages. Somebody who writes, or whom a message reaches, is there; two messages undeliverable a day or more apart say that nobody is.
 *
 * Evidence is kept as times, never as a count: taken twice, late or in another order, it comes to the same.
 */
export interface Reachability {
  companyId: number;
  /** Canonical. */
  phone: string;
  /** The last proof that the phone is there. */
  seenAt?: number | undefined;
  /** The first and the last undeliverable message since. */
  missedAt?: number | undefined;
  missedLastAt?: number | undefined;
  /** When somebody last asked to look again, and since when an answer is waited for. */
  checkedAt?: number | undefined;
  pendingSince?: number | undefined;
  rev: number;
  checkpoints: Record<string, string>;
}

export type Evidence = { kind: 'seen' | 'missed'; at: number };

export interface Verdict {
  exists: boolean;
  /** Of the evidence, epoch milliseconds. */
  at: number;
}

export const undeliverableCode = 131026;
export const cooldownMs = 15 * 60_000;
export const pendingMs = dayMs;
export const missesApartMs = dayMs;
export const liveChecks = { perMinute: 30, perDay: 1_000 } as const;

/** For how long a verdict answers (A17). */
export const verdictLifetimeMs = (exists: boolean): number => (exists ? 30 : 7) * dayMs;

/** A proof is written down again only when the one that is known is half way through its life: repeated evidence costs nothing. */
const refreshMs = verdictLifetimeMs(true) / 2;

export const noEvidence = (companyId: number, phone: string): Reachability => ({ companyId, phone, rev: 0, checkpoints: {} });

/** The row with one more piece of evidence; the very same row when that changes nothing. */
export const withEvidence = (row: Reachability, { kind, at }: Evidence): Reachability =>
  kind === 'seen' ? withProof(row, at) : withMiss(row, at);

/** What the evidence says, however old it is. */
export const verdictOf = ({ seenAt, missedAt, missedLastAt }: Reachability): Verdict | undefined => {
  if (missedAt !== undefined && missedLastAt !== undefined && missedLastAt - missedAt >= missesApartMs)
    return { exists: false, at: missedLastAt };
  return seenAt === undefined ? undefined : { exists: true, at: seenAt };
};

export type PhoneCheckResult =
  | { status: 'settled'; exists: boolean; source: 'webhook' | 'cache'; cooldownUntil: number | undefined }
  | { status: 'pending' | 'inconclusive'; cooldownUntil: number | undefined }
  /** Nothing to tell: a live check is to begin. */
  | { status: 'ask'; pendingSince: number };

/**
 * What is answered now. `refresh` passes over what is known, but inside the cooldown the last answer stands. A check that is waited for
 * is not begun again; after a day without evidence it is inconclusive, and stays so for as long as a negative answer would live.
 */
export const checkResultOf = (row: Reachability | undefined, refresh: boolean, now: number): PhoneCheckResult => {
  const verdict = row && verdictOf(row);
  const cooldownUntil = row?.checkedAt !== undefined && row.checkedAt + cooldownMs > now ? row.checkedAt + cooldownMs : undefined;
  if (verdict && now - verdict.at < verdictLifetimeMs(verdict.exists) && (!refresh || cooldownUntil !== undefined)) {
    const isAnswerToCheck = row.checkedAt === undefined || verdict.at >= secondOf(row.checkedAt);
    return { status: 'settled', exists: verdict.exists, source: isAnswerToCheck && !refresh ? 'webhook' : 'cache', cooldownUntil };
  }
  const { pendingSince } = row ?? {};
  const waitedMs = pendingSince === undefined || (verdict && verdict.at >= secondOf(pendingSince)) ? undefined : now - pendingSince;
  if (waitedMs !== undefined && (!refresh || cooldownUntil !== undefined)) {
    if (waitedMs < pendingMs) return { status: 'pending', cooldownUntil };
    if (waitedMs < pendingMs + verdictLifetimeMs(false)) return { status: 'inconclusive', cooldownUntil };
  }
  return { status: 'ask', pendingSince: waitedMs !== undefined && waitedMs < pendingMs ? now - waitedMs : now };
};

/** A number that could not be reached is tried again once the verdict's life is over. */
export const isKnownNotOnWhatsapp = ({ notOnWhatsappAt }: { notOnWhatsappAt?: number }, now: number): boolean =>
  notOnWhatsappAt !== undefined && now - notOnWhatsappAt < verdictLifetimeMs(false);

/** The provider tells times in whole seconds: what happened in the second of a check may have happened after it. */
const secondOf = (at: number): number => Math.floor(at / 1_000) * 1_000;

function withProof(row: Reachability, at: number): Reachability {
  const { seenAt, missedAt, missedLastAt } = row;
  const disproves = missedAt !== undefined && missedAt < at;
  if (!disproves && seenAt !== undefined && at - seenAt < refreshMs) return row;
  // a miss in the very second of the proof stands, now as when it is told again
  const laterMiss = missedLastAt !== undefined && missedLastAt >= at ? missedLastAt : undefined;
  return { ...row, seenAt: Math.max(seenAt ?? at, at), missedAt: disproves ? laterMiss : missedAt, missedLastAt: laterMiss };
}

function withMiss(row: Reachability, at: number): Reachability {
  if (row.seenAt !== undefined && at < row.seenAt) return row;
  const [first, last] = [Math.min(row.missedAt ?? at, at), Math.max(row.missedLastAt ?? at, at)];
  return first === row.missedAt && last === row.missedLastAt ? row : { ...row, missedAt: first, missedLastAt: last };
}
