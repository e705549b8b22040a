import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { messageId } from '../../../shared/runtime/ids.ts';
import { type Company, getCompany } from '../../account/service/companies.ts';
import { activeNumber, type BusinessNumber } from '../../account/service/numbers.ts';
import { contactIdByPhone, ensureContact, normalizePhone } from '../../contacts/service.ts';
import { lastInboundAt, windowOf } from '../../conversations/service.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import type { FieldErrors } from '../domain/compose.ts';
import type { Composed } from '../domain/payload.ts';
import type { Lane } from '../domain/pace.ts';
import { readSchedule, type Schedule } from '../domain/schedule.ts';
import { addMessage } from '../store/message.ts';
import { heldUntil } from '../store/pace.ts';
import { pointTo } from '../store/pointer.ts';
import { callAndSettle, rejected } from './calling.ts';
import { takeSlot } from './pacing.ts';

/**
 * Sending, once (architecture 5): claim, call with our reference, settle. The claim is the message's row in status 1; whoever finds a
 * claim does not call again. The id comes from the operation, so a retry of the same request meets the same row. A message for later is
 * its row in status 0 with the time it is due.
 */
export interface Manner {
  phone: string;
  scheduled_at?: string | undefined;
  timezone?: string | undefined;
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
  composed: Composed;
  lane: Lane;
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
  manner: Manner,
  kind: Kind<P, R>,
  context: SendContext,
): Promise<SendOutcome | SendProblem | P> => {
  const digits = normalizePhone(manner.phone);
  if (!digits.ok) return invalid('phone', 'Must be a phone number with country code, 8 to 15 digits.');
  const phone = digits.digits;
  const [refused, number, company, known, held, asked] = await Promise.all([
    context.admit(),
    activeNumber(companyId),
    getCompany(companyId),
    contactIdByPhone(companyId, phone),
    heldUntil(companyId, phone),
    kind.ask(),
  ]);
  if (refused) return refused;
  if (isRefusal<R, P>(asked)) return asked;
  const schedule = readSchedule(manner.scheduled_at, manner.timezone ?? company?.timezone ?? 'UTC', context.startedAt);
  if (schedule.when === 'never') return invalid('scheduled_at', schedule.reason);
  const draft = await kind.compose(asked);
  if (isRefusal<Draft, P>(draft)) return draft;
  if (!number) return problem('number_missing');
  const unwanted = await kind.admitContact?.(phone, draft);
  if (unwanted) return unwanted;
  const contactId = known ?? (await createdContact(companyId, phone));
  if (isProblem(contactId)) return contactId;
  if (kind.closed && schedule.when === 'now' && isEnforced(manner, company)) {
    const window = windowOf(await lastInboundAt(companyId, contactId), now());
    if (!window.open) return kind.closed();
  }
  await draft.keep?.();
  return place({ companyId, contactId, phone, number, draft, dueAt: dueOf(schedule, held) }, context);
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

async function place(placement: Placement, context: SendContext): Promise<SendOutcome | Problem<'provider_rejected'>> {
  const { companyId, contactId, number, draft, dueAt } = placement;
  const [claimed, inboundAt, slot] = await Promise.all([
    writeNew(placement, context),
    lastInboundAt(companyId, contactId),
    dueAt === undefined ? takeSlot(number, draft.lane) : undefined,
  ]);
  const window = windowOf(inboundAt, now());
  const isToCall = claimed.fresh && claimed.message.status === messageStatuses.sending;
  const settled = isToCall
    ? await callAndSettle(claimed.message, number, { ...(slot ? { slot } : {}), bytes: draft.bytes })
    : claimed.message;
  const isRefused = settled.status === messageStatuses.failed && !settled.ambiguous;
  return isRefused ? rejected(settled) : { message: settled, window };
}

/**
 * The message's row: claimed (status 1), or waiting (status 0). Not fresh: this very operation was here before, and its row tells what
 * came of it.
 */
async function writeNew(
  { companyId, contactId, phone, number, draft, dueAt }: Placement,
  { operationId, startedAt }: SendContext,
): Promise<{ fresh: boolean; message: StoredMessage }> {
  const { composed, lane, template } = draft;
  for (let salt = 0; ; salt++) {
    const at = now();
    const id = messageId(startedAt, `${operationId}:${salt}`);
    if (dueAt !== undefined && !(await pointTo({ companyId, id, contactId, dueAt }))) continue;
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
    const written = await addMessage(message);
    if (written.done) return { fresh: true, message };
    if (written.current?.operationId === operationId) return { fresh: false, message: written.current };
  }
}

async function createdContact(companyId: number, phone: string): Promise<number | Problem<'plan_limit_reached'>> {
  const ensured = await ensureContact(companyId, { phone, source: 'api' });
  return isProblem(ensured) ? ensured : ensured.contact.id;
}

/** A person whom the provider protects gets nothing before their time, scheduled or not. */
function dueOf(schedule: Schedule, heldUntilMs: number | undefined): number | undefined {
  const at = schedule.when === 'later' ? schedule.atMs : undefined;
  const held = heldUntilMs !== undefined && heldUntilMs > now() ? heldUntilMs : undefined;
  return at === undefined || held === undefined ? (at ?? held) : Math.max(at, held);
}

const isEnforced = (manner: Manner, company: Company | undefined): boolean =>
  (manner.window_policy ?? company?.settings.windowPolicy) === 'enforce';
