import { now } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { findProfilesOf } from '../../account/service/profile-of-key.ts';
import { readInboundText } from '../../messaging/service/inbound-text.ts';
import { intentsIn } from '../domain/intent.ts';
import { settingsOf } from '../domain/settings.ts';
import { findGuard } from '../store/guard.ts';
import { findRequest } from '../store/request.ts';
import { end } from './ending.ts';
import { intentOf, personOf } from './secrets.ts';

/**
 * An inbound message that holds what may be a reference (decision V23). Whoever wrote it proves the phone, or the provider's user id, that
 * they wrote from: the reference is looked for among the pending requests of that very person, so that of another it proves nothing.
 * 0.5 RRU for the message, 0.5 for the profiles, 0.5 for each of them and for a pending request.
 */
export const takeOneClick = async (companyId: number, contactId: number, messageId: number): Promise<void> => {
  const message = await readInboundText(companyId, contactId, messageId);
  if (!message) return;
  const intents = new Set(intentsIn(message.text));
  const names = [
    ...(message.phone === undefined ? [] : [{ kind: 'phone' as const, value: `+${message.phone}` }]),
    ...message.userIds.map((value) => ({ kind: 'user_id' as const, value })),
  ];
  let proven = 0;
  for (const profile of await findProfilesOf(companyId)) {
    if (profile.status !== 'active' || !settingsOf(profile.settings).one_click.enabled) continue;
    for (const name of names)
      proven += await proveFor({ companyId, profileId: profile.id, person: await personOf(profile.id, name) }, intents);
  }
  // somebody else's reference, an old one, or a word that looks like one
  if (proven === 0) metric('OneClickIgnored', 'Count', 1);
};

async function proveFor(id: { companyId: number; profileId: string; person: string }, intents: ReadonlySet<string>): Promise<number> {
  const guard = await findGuard(id, { consistent: true });
  let proven = 0;
  for (const pointer of Object.values(guard?.last ?? {})) {
    if (!intents.has(await intentOf(pointer.id))) continue;
    const request = await findRequest(id.companyId, pointer.id, { consistent: true });
    if (request?.status !== 'pending' || request.expiresAt <= now() || request.person !== id.person) continue;
    const written = await end(request, { status: 'verified', via: 'message' }, guard);
    proven += written.done ? 1 : 0;
  }
  return proven;
}
