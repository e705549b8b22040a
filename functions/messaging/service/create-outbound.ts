import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import type { Written } from '../../../shared/table/written.ts';
import { lastInboundAt, serviceWindowOf } from '../../service-window/service.ts';
import type { MessageCost } from '../../spend/contract/message-cost.ts';
import type { Tariff } from '../../spend/contract/price-cap.ts';
import { getMessageCost } from '../../spend/service/message-costs.ts';
import { returnToToken, takeMessage, type TokenSpend } from '../../spend/service/token-ceilings.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import type { MessageContent } from '../contract/content.ts';
import type { SlotSpend } from '../domain/allowance.ts';
import { isOwnedBy, type OutboundDraft, toOutboundMessage } from '../domain/outbound-message.ts';
import type { SendPriority } from '../domain/pace.ts';
import { isUnconfirmed } from '../domain/send-state.ts';
import { createMessage, createMessageTogether, getStoredMessage } from '../store/message.ts';
import { putScheduledMessage } from '../store/scheduled-message.ts';
import { chargeOfSend, reserveSlotFor, returnUnsent, type SpendProblem } from './charged-slot.ts';
import { returnSpend } from './allowances.ts';
import { callAndRecord, rejectionProblem, updateMessageWhile } from './send-attempt.ts';
import type { OperationContext, Recipient } from './send-request.ts';
import { reserveSlot, type Slot } from './send-slots.ts';

/** The answer of every send: the message as it stands, the customer service window of its conversation, and what the message costs. */
export interface SendOutcome {
  message: StoredMessage;
  window: { open: boolean; expiresAtMs: number | undefined };
  cost: MessageCost;
}

/** What a send adds to its recipient. */
export interface MessageDraft {
  content: MessageContent;
  priority: SendPriority;
  template?: StoredMessage['template'];
  /** What it is priced by: of its template; absent: as a service message. */
  tariff?: Tariff;
  /** The file, where the request carried it; otherwise it is read from the bucket. */
  bytes?: Buffer | undefined;
}

const service: Tariff = { category: 'service' };

/**
 * Creates the message's row and, unless it waits for its time, sends it. A rejection by the provider is a Problem. Under a ceiling the slot and its cost
 * come before the row, so that a refusal leaves nothing behind and the same request may be repeated later.
 */
export const createAndSend = async (
  recipient: Recipient,
  { content, priority, template, tariff = service, bytes }: MessageDraft,
  { operationId, startedAt, caller }: OperationContext,
): Promise<SendOutcome | Problem<'provider_rejected'> | SpendProblem> => {
  const { companyId, contactId, mergedIds, phone, userId, number, dueAt, contextWamid, assignOnReply } = recipient;
  const draft: OutboundDraft = {
    companyId,
    contactId,
    phone,
    userId,
    contextWamid,
    numberId: number.id,
    content,
    template,
    priority,
    sentBy: senderOf(caller),
    assignsTo: mayAssign(assignOnReply, caller) ? caller.userId : undefined,
    owner: { operationId },
    idTimeMs: startedAt,
    createdAt: startedAt,
    state: dueAt === undefined ? { claimedAs: 'sending' } : { dueAt },
  };
  const admitted = await admit(draft, { mergedIds, caller, tariff });
  if (isProblem(admitted)) return admitted;
  const { earlier, taken } = admitted;
  const isNow = dueAt === undefined && !earlier;
  const charge = isNow ? await chargeOfSend(companyId, tariff, { phone, userId }) : undefined;
  const paid = isProblem(charge) ? charge : charge && (await reserveSlotFor(number, priority, charge));
  if (isProblem(paid)) {
    if (taken) await returnToToken(taken);
    return paid;
  }
  const creating = earlier ?? (dueAt === undefined ? createOutbound(draft) : createScheduled(draft, dueAt));
  const [created, inboundAt, cost, slot] = await Promise.all([
    creating,
    lastInboundAt(companyId, contactId, number.id),
    getMessageCost(companyId, { ...tariff, phone, userId, currency: number.currency }),
    paid ?? (isNow ? reserveSlot(number, priority) : undefined),
  ]).catch(async (error: unknown) => {
    await returnUncalled(number, paid);
    await giveBackUncalled(await creating);
    throw error;
  });
  const window = serviceWindowOf(inboundAt, now());
  const isClaimed = created.isNew && created.message.status === messageStatuses.sending;
  if (!isClaimed) await returnUncalled(number, paid);
  const message =
    isClaimed && slot
      ? (await callAndRecord(created.message, number, { by: 'request', slot, bytes, spend: spendIn(slot) })).message
      : created.message;
  if (isClaimed && paid?.free) await returnUnsent(number, message, paid.spend);
  const isRejected = message.status === messageStatuses.failed && !message.ambiguous;
  // another try has the row, and took for it; or the provider refused it
  if (taken && (!created.isNew || isRejected)) await returnToToken(taken);
  return isRejected ? rejectionProblem(message) : { message, window, cost };
};

const spendIn = (slot: Slot): SlotSpend | undefined => (slot.free ? slot.spend : undefined);

/** An earlier try's row, or what was taken for a new one from the ceiling of the call's token; undefined: it is under none. */
interface Admitted {
  earlier?: CreatedMessage | undefined;
  taken?: TokenSpend | undefined;
}

interface Admission {
  mergedIds: readonly number[];
  caller: OperationContext['caller'];
  tariff: Tariff;
}

/**
 * Takes the message from the ceiling of its caller's token, before anything of it is written. Where that allows no more, the row of an earlier try
 * counts: it was taken for then.
 */
async function admit(draft: OutboundDraft, { mergedIds, caller, tariff }: Admission): Promise<Admitted | SpendProblem> {
  const earlier = await findEarlier(draft, mergedIds);
  if (earlier) return { earlier };
  const { companyId, contactId, phone, userId } = draft;
  const taken = await takeMessage({ ...caller, companyId }, { tariff, recipient: { phone, userId } });
  if (!isProblem(taken)) return { taken };
  const own = await findEarlier(draft, [contactId], { consistent: true });
  return own ? { earlier: own } : taken;
}

/** Creates the row of a message that a worker sends for a caller: taken from the ceiling of its token, once however often it is repeated. */
export const createAccepted = async (
  draft: OutboundDraft,
  { caller, tariff }: Omit<Admission, 'mergedIds'>,
): Promise<CreatedMessage | SpendProblem> => {
  const admitted = await admit(draft, { mergedIds: [], caller, tariff });
  if (isProblem(admitted)) return admitted;
  const created = admitted.earlier ?? (await createOutbound(draft));
  if (admitted.taken && !created.isNew) await returnToToken(admitted.taken);
  return created;
};

/** The provider is not called for this slot: another try of the operation has the row, or there is none. */
async function returnUncalled(number: Recipient['number'], slot: Slot | undefined): Promise<void> {
  if (slot?.free && slot.spend) await returnSpend(number, slot.spend);
}

/** As createOutbound, for a contact that may have been merged since an earlier try: the message of that try is found too. */
export const createOutboundOnce = async (draft: OutboundDraft, mergedIds: readonly number[] = []): Promise<CreatedMessage> =>
  (await findEarlier(draft, mergedIds)) ?? createOutbound(draft);

/** What an earlier try of the operation wrote for one of these contacts, of which some were merged since. 0.5 RRU for each. */
async function findEarlier(
  draft: OutboundDraft,
  contactIds: readonly number[],
  options: { consistent?: boolean } = {},
): Promise<CreatedMessage | undefined> {
  for (const contactId of contactIds) {
    const { companyId, id } = toOutboundMessage({ ...draft, contactId }, 0, now());
    const message = await getStoredMessage(companyId, contactId, id, options);
    if (message && isOwnedBy(message, draft.owner)) return { isNew: false, message };
  }
  return undefined;
}

/** The row was claimed beside a read or a slot that failed, so the provider is not called: the worker of due messages sends it. */
async function giveBackUncalled({ isNew, message }: CreatedMessage): Promise<void> {
  if (!isNew || message.status !== messageStatuses.sending) return;
  await updateMessageWhile(
    message,
    (current) => isUnconfirmed(current, message.attempt),
    (_, at) => ({ status: messageStatuses.scheduled, dueAt: at }),
  );
}

const mayAssign = (setting: Recipient['assignOnReply'], { userId, credentialKind }: OperationContext['caller']): boolean =>
  userId > 0 && (setting === 'all' || (setting === 'sessions' && credentialKind === 'session'));

/** A session is no token: it names its user alone. */
export const senderOf = ({ userId, credentialId, credentialKind }: OperationContext['caller']): NonNullable<StoredMessage['sentBy']> => ({
  via: 'api',
  ...(userId > 0 ? { userId } : {}),
  ...(credentialKind === 'token' ? { tokenId: credentialId } : {}),
});

/**
 * Creates the row of an outbound message, once: its id follows from its owner, so a repetition meets the first row. `isNew: false`: the row
 * existed, and has the result of the message.
 */
export const createOutbound = (draft: OutboundDraft): Promise<CreatedMessage> => createDraft(draft, createMessage);

/** The same, in one request with others of the moment. */
export const createOutboundTogether = (draft: OutboundDraft): Promise<CreatedMessage> => createDraft(draft, createMessageTogether);

/** The same for a message that may be cancelled: it can be found by its id alone, which is written before its row. */
const createScheduled = (draft: OutboundDraft, dueAt: number): Promise<CreatedMessage> =>
  createDraft(draft, async (message) => {
    const { companyId, id, contactId } = message;
    return (await putScheduledMessage({ companyId, id, contactId, dueAt })) ? createMessage(message) : undefined;
  });

export interface CreatedMessage {
  isNew: boolean;
  message: StoredMessage;
}

/** Two messages of one second may hash to the same id: the later one takes the next salt. */
export const maxSalts = 100;

type Create = (message: StoredMessage) => Promise<Written<StoredMessage> | undefined>;

const createDraft = (draft: OutboundDraft, create: Create): Promise<CreatedMessage> =>
  createUnderFreeId(
    (salt) => toOutboundMessage(draft, salt, now()),
    (row) => isOwnedBy(row, draft.owner),
    create,
  );

/** Creates the row under the first id that no other message has. `isOwn`: an earlier try has written it. */
export async function createUnderFreeId(
  rowOf: (salt: number) => StoredMessage,
  isOwn: (row: StoredMessage) => boolean,
  create: Create = createMessage,
): Promise<CreatedMessage> {
  for (let salt = 0; salt < maxSalts; salt++) {
    const message = rowOf(salt);
    const written = await create(message);
    if (written?.done) return { isNew: true, message };
    if (written?.current && isOwn(written.current)) return { isNew: false, message: written.current };
  }
  throw new Error('A conversation has no message id left in a second.');
}
