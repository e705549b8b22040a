import { now } from '../../../shared/runtime/clock.ts';
import { sameSecret } from '../../../shared/runtime/seal.ts';
import { listStoredProfiles } from '../../account/service/stored-profiles.ts';
import { attemptLimits } from '../domain/attempt-limits.ts';
import { activeBlock, isTrusting } from '../domain/decision.ts';
import { type Identifier, parseIdentifier } from '../domain/identifier.ts';
import { getRequest } from '../store/request.ts';
import { sourceBlockedUntil } from '../domain/request-budget.ts';
import { isLabelProven } from '../domain/requester.ts';
import { withResult } from '../domain/request-result.ts';
import {
  getRequestBudget,
  type RequestBudget,
  type RequestBudgetId,
  reserveLabelAttempt,
  returnLabelAttempt,
  updateRequestBudgetFields,
} from '../store/request-budget.ts';
import type { CompleteProfile } from './profile.ts';
import { deriveTrustKey, hashIdentifier, hashLabel } from './secrets.ts';

interface TrustCaller {
  profile: CompleteProfile;
  budgetId: RequestBudgetId;
  /** What its attempts are counted by. */
  attemptSource: string;
  isTrusted: boolean;
  at: number;
}

export interface TrustCheck {
  /** The trust key of an earlier verification that the given text proves. */
  trustKey: string | undefined;
  /** The identifier or the source is blocked: nothing is answered from trust, but the caller passes a block that public keys caused. */
  isBlocked: boolean;
}
export const noTrust: TrustCheck = { trustKey: undefined, isBlocked: false };

/** What a `trust_key` proves: a trust key of 256 bits, or a caller's own label. 0.5 RRU, at most 5.5; for a label also 1 WRU, 2 if right. */
export const checkTrust = async (caller: TrustCaller, given: string, purpose: string): Promise<TrustCheck> => {
  const { profile, budgetId, attemptSource, isTrusted, at } = caller;
  if (profile.settings.trust.ttl_days === 0) return noTrust;
  if (!isTrustKey(given)) return isBindable(given, isTrusted) ? checkLabel(caller, given, purpose) : noTrust;
  const budget = await getRequestBudget(budgetId);
  if (!budget) return noTrust;
  const isBlocked = activeBlock(budget, at, false) !== undefined || sourceBlockedUntil(attemptSource, budget) > at;
  return { trustKey: await findValidTrust(caller, budget, given, purpose), isBlocked };
};

const isTrustKey = (given: string): boolean => /^tk_[A-Za-z0-9_-]{43}$/.test(given);

/** Whether a label can ever prove anything: a short one of a caller with a public key could be found by trying (V12). */
export const isBindable = (label: string, isTrusted: boolean): boolean => isTrusted || label.length >= minLabelLength;
const minLabelLength = 16;

/** A label can be guessed, so it is an attempt: reserved before it is compared, given back when it was right. The same for unknown identifiers. */
async function checkLabel(caller: TrustCaller, given: string, purpose: string): Promise<TrustCheck> {
  const { profile, budgetId, attemptSource, isTrusted, at } = caller;
  const limits = attemptLimits(profile.settings);
  const limit = { sourceBudget: limits.source, budget: isTrusted ? limits.total : limits.public };
  const reserved = await reserveLabelAttempt(budgetId, attemptSource, limit, at);
  if (!reserved.done) return noTrust;
  const label = await hashLabel(budgetId.identifierHash, given);
  const trustKey = await findValidTrust(caller, reserved.item, given, purpose);
  const isPending = Object.values(reserved.item.last).some((latest) => latest.label !== undefined && sameSecret(latest.label, label));
  if (trustKey !== undefined || isPending) await returnLabelAttempt(budgetId, attemptSource, at);
  return { trustKey, isBlocked: false };
}

async function findValidTrust(
  { profile, at }: TrustCaller,
  budget: RequestBudget,
  given: string,
  purpose: string,
): Promise<string | undefined> {
  const { settings } = profile;
  const label = await hashLabel(budget.identifierHash, given);
  const since = { trustFrom: Math.max(budget.trustFrom ?? -1, profile.trustFrom ?? -1) };
  const trustKeyOf = (id: string): Promise<string> => deriveTrustKey(profile.id, id, budget.identifierHash);
  const proves = async (id: string, storedLabel: string | undefined): Promise<boolean> =>
    (storedLabel !== undefined && sameSecret(storedLabel, label)) || sameSecret(await trustKeyOf(id), given);
  const isForPurpose = (of: string): boolean => settings.trust.cross_purpose || of === purpose;
  for (const each of budget.trusted)
    if (isForPurpose(each.purpose) && isTrusting(since, each.provenAt, settings, at) && (await proves(each.id, each.label)))
      return trustKeyOf(each.id);
  // the latest request of a purpose moves to `trusted` only with the next one
  for (const [of, latest] of Object.entries(budget.last)) {
    if (!isForPurpose(of) || !(await proves(latest.id, latest.label))) continue;
    const row = await getRequest(profile.companyId, latest.id, { consistent: true });
    const request = row && withResult(row, budget);
    // the request decides on its label: another caller may have joined it since
    if (request?.status !== 'verified' || !(await proves(latest.id, isLabelProven(request) ? request.label : undefined))) continue;
    if (isTrusting(since, request.endedAt ?? 0, settings, at)) return trustKeyOf(latest.id);
  }
  return undefined;
}

/** Invalidates the trust keys that were issued for an identifier before now. 1 WRU; none when it was never verified. */
export const revokeIdentifierTrust = async (companyId: number, profileId: string, identifier: Identifier): Promise<void> => {
  const identifierHash = await hashIdentifier(profileId, identifier);
  await updateRequestBudgetFields({ companyId, profileId, identifierHash }, { trusted: [], trustFrom: now() });
};

/** Revokes trust at every profile of the company, for a contact that is erased. 0.5 RRU for about 8 profiles, 1 WRU per profile and identifier. */
export const revokeAllTrust = async (companyId: number, given: readonly (string | undefined)[]): Promise<void> => {
  const identifiers = given.flatMap((each) => (each === undefined ? undefined : parseIdentifier(each)) ?? []);
  if (identifiers.length === 0) return;
  for (const { id } of await listStoredProfiles(companyId))
    await Promise.all(identifiers.map((identifier) => revokeIdentifierTrust(companyId, id, identifier)));
};
