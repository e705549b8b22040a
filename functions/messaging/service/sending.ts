import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { messageId } from '../../../shared/runtime/ids.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { send } from '../../../shared/queue/send.ts';
import { getCompany } from '../../account/service/companies.ts';
import { activeNumber } from '../../account/service/numbers.ts';
import { contactIdByPhone, ensureContact, normalizePhone } from '../../contacts/service.ts';
import { lastInboundAt, windowOf } from '../../conversations/service.ts';
import { sendsQueue } from '../contract/queue.ts';
import { messageStatuses, messageTypes, type StoredMessage } from '../contract/stored.ts';
import { nextTry, type Sent } from '../domain/answer.ts';
import { referenceOf } from '../domain/reference.ts';
import { type SendingNumber, sendToProvider, textRequest } from '../gateway.ts';
import { providerErrorEntry } from '../provider-errors.ts';
import { addMessage, changeMessage, getMessage } from '../store/message.ts';

/**
 * Sending, once (architecture 5): claim, call with our reference, settle. The claim is the message's row in status 1; whoever finds a
 * claim does not call again. The id comes from the operation, so a retry of the same request meets the same row.
 */
export interface TextSend {
  phone: string;
  message: string;
  window_policy?: 'provider' | 'enforce' | undefined;
}

export interface SendContext {
  operationId: string;
  startedAt: number;
  admit: () => Promise<Problem<'rate_limited'> | undefined>;
}

export interface SendOutcome {
  message: StoredMessage;
  window: { open: boolean; expiresAtMs: number | undefined };
}

export type SendProblem = Problem<
  'validation_failed' | 'rate_limited' | 'number_missing' | 'window_closed' | 'provider_rejected' | 'plan_limit_reached'
>;

/** Sends a text now. Refusals of the provider are problems; an unknown fate is a message in status 1 (decision A28). */
export const sendText = async (
  companyId: number,
  { phone, message, window_policy }: TextSend,
  context: SendContext,
): Promise<SendOutcome | SendProblem> => {
  const digits = normalizePhone(phone);
  if (!digits.ok) return invalid('phone', 'Must be a phone number with country code, 8 to 15 digits.');
  const [refused, number, company, known] = await Promise.all([
    context.admit(),
    activeNumber(companyId),
    getCompany(companyId),
    contactIdByPhone(companyId, digits.digits),
  ]);
  if (refused) return refused;
  if (!number) return problem('number_missing');
  const contactId = known ?? (await createdContact(companyId, digits.digits));
  if (isProblem(contactId)) return contactId;

  if ((window_policy ?? company?.settings.windowPolicy) === 'enforce') {
    const window = windowOf(await lastInboundAt(companyId, contactId), now());
    if (!window.open) return problem('window_closed', { details: { policy: 'enforce' } });
  }
  const [claimed, inboundAt] = await Promise.all([
    claimNew(companyId, contactId, digits.digits, message, number.id, context),
    lastInboundAt(companyId, contactId),
  ]);
  const window = windowOf(inboundAt, now());
  const settled = claimed.fresh ? await callAndSettle(claimed.message, number) : claimed.message;
  const isRefused = settled.status === messageStatuses.failed && !settled.ambiguous;
  return isRefused ? rejected(settled) : { message: settled, window };
};

/** A message whose time has come, or that the provider would not take before: claims it and sends it. */
export const sendDue = async (reference: { companyId: number; contactId: number; messageId: number; dueAtMs: number }): Promise<void> => {
  const { companyId, contactId } = reference;
  const early = reference.dueAtMs - now();
  if (early > 0) {
    const body = { company_id: companyId, contact_id: contactId, message_id: reference.messageId, due_at_ms: reference.dueAtMs };
    return send(sendsQueue, [{ companyId, message: body, delaySeconds: early / 1_000 }]);
  }
  const [message, number] = await Promise.all([
    getMessage(companyId, contactId, reference.messageId, { consistent: true }),
    activeNumber(companyId),
  ]);
  const isDue = (seen: StoredMessage): boolean => seen.status === messageStatuses.scheduled && seen.dueAt === reference.dueAtMs;
  const claimed = await changeWhile(message, isDue, (seen, at) =>
    number
      ? { status: messageStatuses.sending, attempt: seen.attempt + 1, claimedAt: at, dueAt: undefined }
      : {
          status: messageStatuses.failed,
          dueAt: undefined,
          failedAt: at,
          error: { code: 'number_missing', title: 'No active business number' },
        },
  );
  if (!claimed || !number) return;
  metric('SendLateness', 'Milliseconds', now() - reference.dueAtMs);
  await callAndSettle(claimed, number);
};

/** Two minutes after a claim: what has no evidence by now becomes a flagged failure, and is never sent again by us. */
export const settleUnknown = async (reference: {
  companyId: number;
  contactId: number;
  messageId: number;
  attempt: number;
}): Promise<void> => {
  const message = await getMessage(reference.companyId, reference.contactId, reference.messageId, { consistent: true });
  const isUnknown = (seen: StoredMessage): boolean => seen.status === messageStatuses.sending && seen.attempt === reference.attempt;
  const flagged = await changeWhile(message, isUnknown, (_, at) => ({
    status: messageStatuses.failed,
    ambiguous: true,
    failedAt: at,
    error: { code: 'ambiguous_send', title: 'The provider never said whether it took the message' },
  }));
  if (flagged) metric('AmbiguousSends', 'Count', 1);
};

/** Changes a message as long as it is as it must be, whoever else writes it meanwhile; undefined: it is so no longer. */
async function changeWhile(
  message: StoredMessage | undefined,
  holds: (seen: StoredMessage) => boolean,
  change: (seen: StoredMessage, at: number) => Partial<StoredMessage>,
): Promise<StoredMessage | undefined> {
  for (let seen = message; seen && holds(seen); ) {
    const at = now();
    const written = await changeMessage(seen, change(seen, at), at);
    if (written.done) return written.item;
    seen = written.current;
  }
  return undefined;
}

async function createdContact(companyId: number, phone: string): Promise<number | Problem<'plan_limit_reached'>> {
  const ensured = await ensureContact(companyId, { phone, source: 'api' });
  return isProblem(ensured) ? ensured : ensured.contact.id;
}

/** The message's row in status 1. Not fresh: this very operation was here before, and its row tells what came of it. */
async function claimNew(
  companyId: number,
  contactId: number,
  phone: string,
  value: string,
  numberId: number,
  { operationId, startedAt }: SendContext,
): Promise<{ fresh: boolean; message: StoredMessage }> {
  for (let salt = 0; ; salt++) {
    const at = now();
    const message: StoredMessage = {
      companyId,
      contactId,
      id: messageId(startedAt, `${operationId}:${salt}`),
      inbound: false,
      type: messageTypes.text,
      subtype: 'text',
      value,
      status: messageStatuses.sending,
      rev: 0,
      phone,
      numberId,
      operationId,
      attempt: 1,
      claimedAt: at,
      createdAt: startedAt,
      updatedAt: at,
    };
    const written = await addMessage(message);
    if (written.done) return { fresh: true, message };
    if (written.current?.operationId === operationId) return { fresh: false, message: written.current };
  }
}

async function callAndSettle(claimed: StoredMessage, number: SendingNumber): Promise<StoredMessage> {
  const reference = referenceOf(claimed.companyId, claimed.contactId, claimed.id);
  const sent = await sendToProvider(number, textRequest(claimed.phone ?? '', claimed.value, reference));
  metric('Sends', 'Count', 1, { outcome: sent.outcome });
  return settle(claimed, sent).catch((error: unknown) => {
    // the call was made: a failure told to the caller now would make them send again; the status webhook settles the row
    log.error('What came of a call could not be written', error, { message_id: claimed.id });
    return sent.outcome === 'accepted' ? { ...claimed, status: messageStatuses.sent, wamid: sent.wamid } : claimed;
  });
}

/** Writes what came of the call. Evidence from a webhook may have been faster: then only what is still missing is added. */
async function settle(claimed: StoredMessage, sent: Sent): Promise<StoredMessage> {
  for (let seen = claimed; ; ) {
    const at = now();
    const change = settlement(seen, sent, at);
    if (!change) return seen;
    const written = await changeMessage(seen, change, at);
    if (written.done) return written.item;
    if (!written.current) return seen;
    seen = written.current;
  }
}

/** The change that an outcome makes to the message as it stands; undefined when evidence was faster. */
function settlement(seen: StoredMessage, sent: Sent, at: number): Partial<StoredMessage> | undefined {
  const isMine = seen.status === messageStatuses.sending;
  switch (sent.outcome) {
    case 'accepted':
      if (isMine) return { status: messageStatuses.sent, wamid: sent.wamid, sentAt: at };
      return seen.wamid === undefined ? { wamid: sent.wamid } : undefined;
    case 'refused': {
      if (!isMine) return undefined;
      const error = { code: sent.code, title: sent.title, ...(sent.details ? { details: sent.details } : {}) };
      const dueAt = nextTry(sent.code, seen.attempt, at);
      log.info('The provider refused a message', { provider_code: sent.code, message_id: seen.id });
      return dueAt === undefined
        ? { status: messageStatuses.failed, failedAt: at, error }
        : { status: messageStatuses.scheduled, dueAt, error };
    }
    case 'unsent': {
      if (!isMine) return undefined;
      const dueAt = nextTry(130429, seen.attempt, at);
      const error = { code: 'provider_unreachable', title: 'The provider could not be reached' };
      return dueAt === undefined
        ? { status: messageStatuses.failed, failedAt: at, error }
        : { status: messageStatuses.scheduled, dueAt, error };
    }
    case 'ambiguous':
      return isMine && !seen.ambiguous ? { ambiguous: true } : undefined;
  }
}

function rejected(message: StoredMessage): Problem<'provider_rejected'> {
  const { code, title, details } = message.error ?? { code: 0, title: 'Refused' };
  const entry = typeof code === 'number' ? providerErrorEntry(code) : { retryable: true, fix: 'Try again later.' };
  return problem('provider_rejected', {
    message: `The messaging provider refused the message: ${title}.`,
    details: {
      message_id: message.id,
      provider_code: code,
      title,
      details: details ?? null,
      retryable: entry.retryable,
      fix: entry.fix,
    },
  });
}
