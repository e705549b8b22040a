import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { isSettled } from '../../campaigns/service/settled.ts';
import { findPerson } from '../../contacts/service/person.ts';
import { takeCodeStatus } from '../../verification/service/code-status.ts';
import type { StoredMessage } from '../contract/stored.ts';
import type { StatusUpdate } from '../contract/webhook.ts';
import { type MessageReference, parseCodeReference, parseReference } from '../domain/reference.ts';
import { personName, refusesMarketing } from '../domain/receiving.ts';
import { applyStatus, parkedTry, providerTime, usualStep } from '../domain/status.ts';
import { advanceMessage, changeMessage, findByWamid, getMessage } from '../store/message.ts';
import { dropParked, getParked, parkStatus } from '../store/parked.ts';
import { blockMarketing } from './preference.ts';

/** A status of a message of ours, as the provider posted it. */
export const takeStatus = (companyId: number, status: StatusUpdate, receivedAt: number): Promise<void> => {
  const code = parseCodeReference(status.biz_opaque_callback_data);
  // a code has no row of ours: what matters of its fate is the verification's
  if (code?.companyId === companyId) return takeCodeStatus(code, status.status);
  return apply(companyId, status, receivedAt, 0);
};

/** A parked status whose next try has come. */
export const retryParked = async (companyId: number, wamid: string, status: string): Promise<void> => {
  const parked = await getParked(companyId, wamid, status);
  if (!parked) return;
  if (parked.dueAt > now() + 1_000) return;
  await apply(companyId, parked.update, parked.parkedAt, parked.tries + 1);
};

/** `receivedAt`: when it came first. */
async function apply(companyId: number, status: StatusUpdate, receivedAt: number, tries: number): Promise<void> {
  const evidence = {
    status: status.status,
    atMs: providerTime(status.timestamp, receivedAt),
    wamid: status.id,
    errors: status.errors,
    pricing: status.pricing,
  };
  const reference = parseReference(status.biz_opaque_callback_data);
  const own = reference?.companyId === companyId ? reference : undefined;
  if (own?.campaign && status.status === 'sent' && (await isSettled(companyId, own.campaign, own.contactId))) return;
  const step = own && usualStep(evidence);
  const stepped = step && (await advanceMessage(own, step, now()));
  if (stepped?.done) return tries > 0 ? dropParked(companyId, status.id, status.status) : undefined;
  const message = stepped ? stepped.current : await messageOf(companyId, status, own);
  if (!message) return park(companyId, status, tries, receivedAt);
  if (refusesMarketing(status)) await blockMarketing(companyId, message.contactId, evidence.atMs);
  for (let seen = message; ; ) {
    const change = applyStatus(seen, evidence);
    if (!change) break;
    const written = await changeMessage(seen, change, now());
    if (written.done) break;
    if (!written.current) return;
    seen = written.current;
  }
  if (tries > 0) await dropParked(companyId, status.id, status.status);
}

/** By our reference; else, for statuses without one, through the recipient's conversation. */
async function messageOf(companyId: number, status: StatusUpdate, own: MessageReference | undefined): Promise<StoredMessage | undefined> {
  if (own) return getMessage(companyId, own.contactId, own.messageId);
  const contactId = await findPerson(companyId, {
    phone: personName(status.recipient_participant_id) ?? personName(status.recipient_id),
    userId: status.recipient_participant_user_id ?? status.recipient_user_id,
  });
  return contactId === undefined ? undefined : findByWamid(companyId, contactId, status.id);
}

async function park(companyId: number, status: StatusUpdate, tries: number, parkedAt: number): Promise<void> {
  const dueAt = parkedTry(tries, parkedAt, now());
  if (dueAt === undefined) {
    log.info('A status found no message in seven days', { company_id: companyId, event: status.status });
    return dropParked(companyId, status.id, status.status);
  }
  await parkStatus({ companyId, wamid: status.id, status: status.status, update: status, parkedAt, tries, dueAt });
}
