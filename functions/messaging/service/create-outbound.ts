import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { messageId } from '../../../shared/runtime/ids.ts';
import { type Company, getCompany } from '../../account/service/companies.ts';
import { getActiveNumber, type BusinessNumber } from '../../account/service/numbers.ts';
import { normalizePhone } from '../../contacts/contract/phone.ts';
import { contactIdByPhone, ensureContact } from '../../contacts/service.ts';
import { lastInboundAt, windowOf } from '../../conversations/service/conversations.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import type { FieldErrors } from '../domain/compose-text.ts';
import type { MessageContent } from '../domain/content.ts';
import type { SendPriority } from '../domain/pace.ts';
import { parseSchedule, type Schedule } from '../../../shared/runtime/schedule.ts';
import { createMessage } from '../store/message.ts';
import { getRecipientHold } from '../store/pace.ts';
import { putScheduledMessage } from '../store/scheduled-message.ts';
import { callAndRecord, rejectionProblem } from './send-attempt.ts';
import { reserveSlot } from './send-slots.ts';

/**
 * Sending, once (architecture 5): claim, call with our reference, settle. The claim is the message's row in status 1; whoever finds a
 * claim does not call again. The id comes from the operation, so a retry of the same request meets the same row. A message for later is
 * its row in status 0 with the time it is due.
 */
export interface SendOptions {
  phone: string;
  scheduled_at?: string | undefined;
  timezone?: string | undefined;
  window_policy?: 'provider' | 'enforce' | undefined;
}

export interface OperationContext {
  operationId: string;
  startedAt: number;
  spendCompanyLimit: () => Promise<Problem<'rate_limited'> | undefined>;
}

export interface SendOutcome {
  message: StoredMessage;
  window: { open: boolean; expiresAtMs: number | undefined };
}

export type SendProblem = Problem<'validation_failed' | 'rate_limited' | 'number_missing' | 'provider_rejected' | 'plan_limit_reached'>;

/** What a kind of message adds to the one way of sending. */
export interface Kind<P extends Problem, R> {
  /** Asked beside the first reads: what the content depends on. */
  ask: () => Promise<R | P>;
  /** The content, or why not; nothing has been written yet. */
  compose: (asked: R) => Draft | P | Promise<Draft | P>;
  /** Before anything is written, with the contact: consent. */
  admitContact?: (phone: string, draft: Draft) => Promise<P | undefined>;
  /** The refusal where an open window is demanded and it is closed (A26). Templates have none: they need no window. */
  closed?: () => Promise<P>;
}

export interface Draft {
  composed: MessageContent;
  lane: SendPriority;
  template?: StoredMessage['template'];
  /** Keeps the file of the message, before its row is written. */
  keep?: () => Promise<void>;
  bytes?: Buffer | undefined;
  /** Only for people who have not said no (A27). */
  isMarketing?: boolean;
}

/** Sends now, or keeps for later. Refusals of the provider are problems; an unknown fate is a message in status 1 (decision A28). */
export const sendMessage = async <P extends Problem, R>(
  companyId: number,
  manner: SendOptions,
  kind: Kind<P, R>,
  context: OperationContext,
): Promise<SendOutcome | SendProblem | P> => {
  const digits = normalizePhone(manner.phone);
  if (!digits.ok) return invalid('phone', 'Must be a phone number with country code, 8 to 15 digits.');
  const phone = digits.digits;
  const [refused, number, company, known, held, asked] = await Promise.all([
    context.spendCompanyLimit(),
    getActiveNumber(companyId),
    getCompany(companyId),
    contactIdByPhone(companyId, phone),
    getRecipientHold(companyId, phone),
    kind.ask(),
  ]);
  if (refused) return refused;
  if (isRefusal<R, P>(asked)) return asked;
  const schedule = parseSchedule(manner.scheduled_at, manner.timezone ?? company?.timezone ?? 'UTC', context.startedAt);
  if (schedule.when === 'never') return invalid('scheduled_at', schedule.reason);
  const draft = await kind.compose(asked);
  if (isRefusal<Draft, P>(draft)) return draft;
  if (!number) return problem('number_missing');
  const unwanted = await kind.admitContact?.(phone, draft);
  if (unwanted) return unwanted;
  const contactId = known ?? (await ensureContactId(companyId, phone));
  if (isProblem(contactId)) return contactId;
  if (kind.closed && schedule.when === 'now' && isWindowEnforced(manner, company)) {
    const window = windowOf(await lastInboundAt(companyId, contactId), now());
    if (!window.open) return kind.closed();
  }
  await draft.keep?.();
  return createAndSend({ companyId, contactId, phone, number, draft, dueAt: dueTimeOf(schedule, held) }, context);
};

const isRefusal = <T, P extends Problem>(value: T | P): value is P => isProblem(value);

export const invalidFields = (errors: FieldErrors): Problem<'validation_failed'> => problem('validation_failed', { errors });

interface Placement {
  companyId: number;
  contactId: number;
  phone: string;
  number: BusinessNumber;
  draft: Draft;
  /** Undefined: now. */
  dueAt: number | undefined;
}

async function createAndSend(placement: Placement, context: OperationContext): Promise<SendOutcome | Problem<'provider_rejected'>> {
  const { companyId, contactId, number, draft, dueAt } = placement;
  const [claimed, inboundAt, slot] = await Promise.all([
    createOutboundMessage(placement, context),
    lastInboundAt(companyId, contactId),
    dueAt === undefined ? reserveSlot(number, draft.lane) : undefined,
  ]);
  const window = windowOf(inboundAt, now());
  const isToCall = claimed.fresh && claimed.message.status === messageStatuses.sending;
  const settled = isToCall
    ? await callAndRecord(claimed.message, number, { ...(slot ? { slot } : {}), bytes: draft.bytes })
    : claimed.message;
  const isRefused = settled.status === messageStatuses.failed && !settled.ambiguous;
  return isRefused ? rejectionProblem(settled) : { message: settled, window };
}

/**
 * The message's row: claimed (status 1), or waiting (status 0). Not fresh: this very operation was here before, and its row tells what
 * came of it.
 */
async function createOutboundMessage(
  { companyId, contactId, phone, number, draft, dueAt }: Placement,
  { operationId, startedAt }: OperationContext,
): Promise<{ fresh: boolean; message: StoredMessage }> {
  const { composed, lane, template } = draft;
  for (let salt = 0; ; salt++) {
    const at = now();
    const id = messageId(startedAt, `${operationId}:${salt}`);
    if (dueAt !== undefined && !(await putScheduledMessage({ companyId, id, contactId, dueAt }))) continue;
    const message: StoredMessage = {
      companyId,
      contactId,
      id,
      inbound: false,
      type: composed.type,
      subtype: composed.subtype,
      value: composed.value,
      rev: 0,
      phone,
      numberId: number.id,
      operationId,
      ...(composed.payload ? { payload: JSON.stringify(composed.payload) } : {}),
      ...(composed.media ? { media: composed.media } : {}),
      ...(template ? { template } : {}),
      ...(lane === 'direct' ? {} : { lane }),
      ...(dueAt === undefined
        ? { status: messageStatuses.sending, attempt: 1, claimedAt: at }
        : { status: messageStatuses.scheduled, attempt: 0, dueAt }),
      createdAt: startedAt,
      updatedAt: at,
    };
    const written = await createMessage(message);
    if (written.done) return { fresh: true, message };
    if (written.current?.operationId === operationId) return { fresh: false, message: written.current };
  }
}

async function ensureContactId(companyId: number, phone: string): Promise<number | Problem<'plan_limit_reached'>> {
  const ensured = await ensureContact(companyId, { phone, source: 'api' });
  return isProblem(ensured) ? ensured : ensured.contact.id;
}

/** A person whom the provider protects gets nothing before their time, scheduled or not. */
function dueTimeOf(schedule: Schedule, heldUntilMs: number | undefined): number | undefined {
  const at = schedule.when === 'later' ? schedule.atMs : undefined;
  const held = heldUntilMs !== undefined && heldUntilMs > now() ? heldUntilMs : undefined;
  return at === undefined || held === undefined ? (at ?? held) : Math.max(at, held);
}

const isWindowEnforced = (manner: SendOptions, company: Company | undefined): boolean =>
  (manner.window_policy ?? company?.settings.windowPolicy) === 'enforce';
