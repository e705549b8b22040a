import { now } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { listStoredProfiles } from '../../account/service/stored-profiles.ts';
import { getInboundText } from '../../messaging/service/inbound-text.ts';
import { referencesIn } from '../domain/one-click.ts';
import { parseSettings } from '../domain/settings.ts';
import { getRequestBudget } from '../store/request-budget.ts';
import { getRequest } from '../store/request.ts';
import { finishRequest } from './finish-request.ts';
import { oneClickReference, hashIdentifier } from './secrets.ts';

/**
 * An inbound message that holds what may be a reference (decision V23). Whoever wrote it proves the phone, or the provider's user id, that
 * they wrote from: the reference is looked for among the pending requests of that very person, so that of another it proves nothing.
 * 0.5 RRU for the message, 0.5 for the profiles, 0.5 for each of them and for a pending request.
 */
export const verifyByMessage = async (companyId: number, contactId: number, messageId: number): Promise<void> => {
  const message = await getInboundText(companyId, contactId, messageId);
  if (!message) return;
  const intents = new Set(referencesIn(message.text));
  const names = [
    ...(message.phone === undefined ? [] : [{ kind: 'phone' as const, value: `+${message.phone}` }]),
    ...message.userIds.map((value) => ({ kind: 'user_id' as const, value })),
  ];
  let proven = 0;
  for (const profile of await listStoredProfiles(companyId)) {
    if (profile.status !== 'active' || !parseSettings(profile.settings).one_click.enabled) continue;
    for (const name of names)
      proven += await verifyPendingRequests({ companyId, profileId: profile.id, person: await hashIdentifier(profile.id, name) }, intents);
  }
  // somebody else's reference, an old one, or a word that looks like one
  if (proven === 0) metric('OneClickIgnored', 'Count', 1);
};

async function verifyPendingRequests(
  id: { companyId: number; profileId: string; person: string },
  intents: ReadonlySet<string>,
): Promise<number> {
  const guard = await getRequestBudget(id, { consistent: true });
  let proven = 0;
  for (const pointer of Object.values(guard?.last ?? {})) {
    if (!intents.has(await oneClickReference(pointer.id))) continue;
    const request = await getRequest(id.companyId, pointer.id, { consistent: true });
    if (request?.status !== 'pending' || request.expiresAt <= now() || request.person !== id.person) continue;
    const written = await finishRequest(request, { status: 'verified', via: 'message' }, guard);
    proven += written.done ? 1 : 0;
  }
  return proven;
}
