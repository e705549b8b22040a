import { now } from '../../../shared/runtime/clock.ts';
import { sameSecret } from '../../../shared/runtime/seal.ts';
import { listStoredProfiles } from '../../account/service/stored-profiles.ts';
import { isTrusting } from '../domain/decision.ts';
import { type Identifier, parseIdentifier } from '../domain/identifier.ts';
import { getRequest } from '../store/request.ts';
import { getRequestBudget, type RequestBudgetId, updateRequestBudgetFields } from '../store/request-budget.ts';
import type { Profile } from './profile.ts';
import { deriveTrustKey, hashIdentifier, hashLabel } from './secrets.ts';

/**
 * The trust key of an earlier verification that `given`, a trust key or a caller's own label, proves; undefined when it proves none.
 * 0.5 RRU, at most 5.5.
 */
export const findValidTrust = async (
  { profile, budgetId, at }: { profile: Profile; budgetId: RequestBudgetId; at: number },
  given: string,
  purpose: string,
): Promise<string | undefined> => {
  const { settings } = profile;
  if (settings.trust.ttl_days === 0) return undefined;
  const budget = await getRequestBudget(budgetId);
  if (!budget) return undefined;
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
    const request = await getRequest(profile.companyId, latest.id, { consistent: true });
    // the request decides on its label: another caller may have joined it since
    if (request?.status !== 'verified' || !(await proves(latest.id, request.label))) continue;
    if (isTrusting(since, request.endedAt ?? 0, settings, at)) return trustKeyOf(latest.id);
  }
  return undefined;
};

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
