import { now } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { listStoredProfiles } from '../../account/service/stored-profiles.ts';
import { getInboundText } from '../../messaging/service/inbound-text.ts';
import { referencesIn } from '../domain/one-click.ts';
import { parseSettings } from '../domain/settings.ts';
import { getRequest } from '../store/request.ts';
import { getRequestBudget, type RequestBudgetId } from '../store/request-budget.ts';
import { finishRequest } from './finish-request.ts';
import { hashIdentifier, oneClickReferences } from './secrets.ts';

/**
 * Verifies by an inbound message that may contain a one-click reference. The reference counts only for pending requests of the sender's
 * own phone or user id, so a forwarded reference proves nothing. 0.5 RRU for the message, 0.5 for the profiles, 0.5 for each profile and
 * each pending request.
 */
export const verifyByMessage = async (companyId: number, contactId: number, messageId: number): Promise<void> => {
  const message = await getInboundText(companyId, contactId, messageId);
  if (!message) return;
  const references = new Set(referencesIn(message.text));
  const identifiers = [
    ...(message.phone === undefined ? [] : [{ kind: 'phone' as const, value: `+${message.phone}` }]),
    ...message.userIds.map((value) => ({ kind: 'user_id' as const, value })),
  ];
  let verified = 0;
  for (const profile of await listStoredProfiles(companyId)) {
    if (profile.status !== 'active' || !parseSettings(profile.settings).one_click.enabled) continue;
    for (const identifier of identifiers) {
      const identifierHash = await hashIdentifier(profile.id, identifier);
      verified += await verifyPendingRequests({ companyId, profileId: profile.id, identifierHash }, references);
    }
  }
  // the reference of another sender, an expired one, or a word that looks like one
  if (verified === 0) metric('OneClickIgnored', 'Count', 1);
};

async function verifyPendingRequests(id: RequestBudgetId, references: ReadonlySet<string>): Promise<number> {
  const budget = await getRequestBudget(id, { consistent: true });
  let verified = 0;
  for (const latest of Object.values(budget?.last ?? {})) {
    if (!(await oneClickReferences(latest.id)).some((each) => references.has(each))) continue;
    const request = await getRequest(id.companyId, latest.id, { consistent: true });
    if (request?.status !== 'pending' || request.expiresAt <= now() || request.identifierHash !== id.identifierHash) continue;
    const written = await finishRequest(request, { status: 'verified', via: 'message' }, budget);
    verified += written.done ? 1 : 0;
  }
  return verified;
}
