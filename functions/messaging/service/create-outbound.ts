import type { Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { lastInboundAt, windowOf } from '../../conversations/service/service-window.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import type { MessageContent } from '../contract/content.ts';
import { isOwnedBy, type OutboundDraft, toOutboundMessage } from '../domain/outbound-message.ts';
import type { SendPriority } from '../domain/pace.ts';
import { createMessage, getMessage } from '../store/message.ts';
import { putScheduledMessage } from '../store/scheduled-message.ts';
import { callAndRecord, rejectionProblem } from './send-attempt.ts';
import type { OperationContext, Recipient } from './send-request.ts';
import { reserveSlot } from './send-slots.ts';

/** The answer of every send: the message as it stands, and the customer service window of its conversation. */
export interface SendOutcome {
  message: StoredMessage;
  window: { open: boolean; expiresAtMs: number | undefined };
}

/** What a send adds to its recipient. */
export interface MessageDraft {
  content: MessageContent;
  priority: SendPriority;
  template?: StoredMessage['template'];
  /** The file, where the request carried it; otherwise it is read from the bucket. */
  bytes?: Buffer | undefined;
}

/** Creates the message's row and, unless it waits for its time, sends it. A rejection by the provider is a Problem. */
export const createAndSend = async (
  recipient: Recipient,
  { content, priority, template, bytes }: MessageDraft,
  { operationId, startedAt, caller }: OperationContext,
): Promise<SendOutcome | Problem<'provider_rejected'>> => {
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
  const earlier = await findEarlier(draft, mergedIds);
  const [created, inboundAt, slot] = await Promise.all([
    earlier ?? (dueAt === undefined ? createOutbound(draft) : createScheduled(draft, dueAt)),
    lastInboundAt(companyId, contactId, number.id),
    dueAt === undefined && !earlier ? reserveSlot(number, priority) : undefined,
  ]);
  const window = windowOf(inboundAt, now());
  const isClaimed = created.isNew && created.message.status === messageStatuses.sending;
  const message = isClaimed ? await callAndRecord(created.message, number, { ...(slot ? { slot } : {}), bytes }) : created.message;
  const isRejected = message.status === messageStatuses.failed && !message.ambiguous;
  return isRejected ? rejectionProblem(message) : { message, window };
};

/** What an earlier try of the operation wrote for a contact that was merged since. 0.5 RRU for each. */
async function findEarlier(draft: OutboundDraft, mergedIds: readonly number[]): Promise<CreatedMessage | undefined> {
  for (const contactId of mergedIds) {
    const { companyId, id } = toOutboundMessage({ ...draft, contactId }, 0, now());
    const message = await getMessage(companyId, contactId, id);
    if (message && isOwnedBy(message, draft.owner)) return { isNew: false, message };
  }
  return undefined;
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
export const createOutbound = (draft: OutboundDraft, create = createMessage): Promise<CreatedMessage> =>
  createUnderFreeId(draft, async () => true, create);

/** The same for a message that may be cancelled: it can be found by its id alone, which is written before its row. */
const createScheduled = (draft: OutboundDraft, dueAt: number): Promise<CreatedMessage> =>
  createUnderFreeId(draft, ({ companyId, id, contactId }) => putScheduledMessage({ companyId, id, contactId, dueAt }));

export interface CreatedMessage {
  isNew: boolean;
  message: StoredMessage;
}

/** Two messages of one second may hash to the same id: the later one takes the next salt. */
export const maxSalts = 100;

async function createUnderFreeId(
  draft: OutboundDraft,
  reserve: (message: StoredMessage) => Promise<boolean>,
  create = createMessage,
): Promise<CreatedMessage> {
  for (let salt = 0; salt < maxSalts; salt++) {
    const message = toOutboundMessage(draft, salt, now());
    if (!(await reserve(message))) continue;
    const written = await create(message);
    if (written.done) return { isNew: true, message };
    if (written.current && isOwnedBy(written.current, draft.owner)) return { isNew: false, message: written.current };
  }
  throw new Error('A conversation has no message id left in a second.');
}
