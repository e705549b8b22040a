import { messageId } from '../../../shared/runtime/ids.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import type { MessageContent } from '../contract/content.ts';

/** An outbound message before it has an id. Every way of sending describes its message with one of these. */
export interface OutboundDraft {
  companyId: number;
  contactId: number;
  /** The recipient: by phone, or by the provider's user id where the phone is hidden. */
  phone: string | undefined;
  userId?: string | undefined;
  numberId: number;
  content: MessageContent;
  template?: StoredMessage['template'];
  /** Whether consent is needed for every category, not for MARKETING alone. */
  requiresConsent?: boolean | undefined;
  /** Direct unless given. */
  priority?: StoredMessage['priority'];
  sentBy?: StoredMessage['sentBy'];
  assignsTo?: number | undefined;
  /** The message that it answers or reacts to. */
  contextWamid?: string | undefined;
  /** Owns the message and names its id: the same owner in the same second meets its own row. */
  owner: MessageOwner;
  /** The second of the id, epoch milliseconds. */
  idTimeMs: number;
  createdAt: number;
  state: OutboundState;
}

export type MessageOwner = { operationId: string } | { campaign: NonNullable<StoredMessage['campaign']> };

/** Claimed by its creator, which calls the provider next; or waiting for a worker, from a time on where one is given. */
export type OutboundState = { claimedAs: 'sending' | 'processing' } | { dueAt: number | undefined };

/** The row of a draft. `salt` counts the ids that other messages of the conversation already have. */
export const toOutboundMessage = (draft: OutboundDraft, salt: number, at: number): StoredMessage => {
  const {
    companyId,
    contactId,
    phone,
    userId,
    numberId,
    content,
    template,
    requiresConsent = false,
    priority = 'direct',
    sentBy,
    assignsTo,
    contextWamid,
    owner,
    idTimeMs,
    createdAt,
    state,
  } = draft;
  return {
    companyId,
    contactId,
    id: outboundMessageId(owner, contactId, idTimeMs, salt),
    inbound: false,
    type: content.type,
    subtype: content.subtype,
    value: content.value,
    rev: 0,
    ...(phone === undefined ? { userId } : { phone }),
    numberId,
    ...owner,
    // the content of a campaign's message is made again from its template
    ...(content.payload && 'operationId' in owner ? { payload: JSON.stringify(content.payload) } : {}),
    ...(content.media ? { media: content.media } : {}),
    ...(template ? { template } : {}),
    ...(requiresConsent ? { requiresConsent } : {}),
    ...(priority === 'direct' ? {} : { priority }),
    ...(sentBy ? { sentBy } : {}),
    ...(assignsTo === undefined ? {} : { assignsTo }),
    ...(contextWamid === undefined ? {} : { contextWamid }),
    ...('claimedAs' in state
      ? { status: messageStatuses[state.claimedAs], attempt: 1, claimedAt: at }
      : { status: messageStatuses.scheduled, attempt: 0, ...(state.dueAt === undefined ? {} : { dueAt: state.dueAt }) }),
    createdAt,
    updatedAt: at,
  };
};

/** The id of an outbound message: its second, then a hash of its owner. */
export const outboundMessageId = (owner: MessageOwner, contactId: number, timeMs: number, salt: number): number =>
  messageId(timeMs, 'operationId' in owner ? `${owner.operationId}:${salt}` : `campaign:${owner.campaign.id}:${contactId}:${salt}`);

/** Whether a stored message belongs to this owner, and not to another one whose id hashed to the same. */
export const isOwnedBy = (message: StoredMessage, owner: MessageOwner): boolean =>
  'operationId' in owner
    ? message.operationId === owner.operationId
    : message.campaign?.id === owner.campaign.id && message.campaign.batch === owner.campaign.batch;
