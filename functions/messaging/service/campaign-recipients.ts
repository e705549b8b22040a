import { now } from '../../../shared/runtime/clock.ts';
import type { SendingNumber } from '../../../shared/provider/call.ts';
import { send } from '../../../shared/queue/send.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import type { MessageContent } from '../contract/content.ts';
import { ambiguousAfterSeconds, unconfirmedSendsQueue } from '../contract/queue.ts';
import type { SendTemplateInput } from '../contract/send-template.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import { atPercent, composeTemplate } from '../domain/compose-template.ts';
import type { SlotSpend } from '../domain/allowance.ts';
import type { Composition } from '../domain/compose-text.ts';
import { isOwnedBy, type OutboundDraft, outboundMessageId, type OutboundState } from '../domain/outbound-message.ts';
import { isPublicLink } from '../../media/service/links.ts';
import { getStoredMessages } from '../store/message.ts';
import { type CreatedMessage, createOutbound, createOutboundTogether, maxSalts } from './create-outbound.ts';
import { callAndRecord, claimAttempt, updateMessageWhile } from './send-attempt.ts';

/** Where a message goes: to the phone where there is one, else to the provider's user id. */
export interface RecipientAddress {
  /** Digits. */
  phone: string | undefined;
  userId: string | undefined;
}

/** The address of a contact. */
export const recipientAddressOf = ({ phone, userId }: { phone: string; userId?: string }): RecipientAddress =>
  phone === '' ? { phone: undefined, userId } : { phone, userId: undefined };

/**
 * Messages of a campaign. A recipient's row is created by its claim, in status 6 and only where there is none: one write both creates the
 * row and decides which worker calls. The row does not store the content; it is made again from the template.
 */
export interface CampaignRecipient extends RecipientAddress {
  companyId: number;
  contactId: number;
  numberId: number;
  campaign: NonNullable<StoredMessage['campaign']>;
  /** The second of the message's id, epoch milliseconds: the same for all of a batch, so that a repetition makes the same ids. */
  secondMs: number;
}

/**
 * Claims a recipient; claims of one moment go out in one request. `isNew: false`: another worker did before, and the row has the result.
 * 1 WRU.
 */
export const claimRecipient = (recipient: CampaignRecipient, content: MessageContent): Promise<CreatedMessage> =>
  createOutboundTogether(draftOf(recipient, content, { claimedAs: 'processing' }));

/** The row of a recipient that was added by a call of its own: it waits in status 0 until a worker claims it. */
export const createWaitingRecipient = async (recipient: CampaignRecipient, content: MessageContent): Promise<StoredMessage> =>
  (await createOutbound(draftOf(recipient, content, { dueAt: undefined }))).message;

/** Claims a row that waits: created before, throttled by the provider, or retried. Undefined: it does not wait any more. 1 WRU. */
export const claimWaitingRecipient = (
  message: StoredMessage,
  number: { id: number },
  content: MessageContent,
): Promise<StoredMessage | undefined> =>
  claimAttempt(message, { isClaimable: isWaiting, as: 'processing', numberId: number.id, value: content.value });

/** A waiting row will not be sent: it becomes a failure. */
export const failWaitingRecipient = (
  message: StoredMessage,
  error: NonNullable<StoredMessage['error']>,
): Promise<StoredMessage | undefined> =>
  updateMessageWhile(message, isWaiting, (_, at) => ({ status: messageStatuses.failed, dueAt: undefined, failedAt: at, error }));

/** A failure becomes a row that waits (status 5 to 0, only by a retry). Undefined: `holds` was no longer true of it. */
export const retryFailedRecipient = (
  message: StoredMessage,
  holds: (current: StoredMessage) => boolean,
): Promise<StoredMessage | undefined> =>
  updateMessageWhile(message, holds, ({ wamid, pastWamids = [], ambiguous, taken, takenBefore = [] }) => ({
    status: messageStatuses.scheduled,
    failedAt: undefined,
    heldAt: undefined,
    sentAt: undefined,
    error: undefined,
    ...(wamid === undefined ? {} : { wamid: undefined, pastWamids: [...pastWamids, wamid] }),
    // another attempt takes anew; what this one took goes back where it is proven to have failed
    ...(taken ? { taken: undefined, ...(ambiguous ? {} : { takenBefore: [...takenBefore, taken] }) } : {}),
  }));

/**
 * Calls the provider for a claimed recipient and records the result, together with others of the moment. Returns the row as it is stored: a result
 * that could not be written is not known, and a status of it is still to be applied. 1 WRU.
 */
export const sendToRecipient = async (
  claimed: StoredMessage,
  number: SendingNumber,
  { payload }: MessageContent,
  spend?: SlotSpend,
): Promise<StoredMessage> => {
  const { message, isRecorded } = await callAndRecord(claimed, number, { by: 'campaign', payload, spend });
  // a claim of a campaign has no check of its own, and its batch will be done
  if (!isRecorded) await scheduleClaimChecks([claimed]);
  return isRecorded ? message : claimed;
};

/** For rows whose worker died after the claim: those without evidence two minutes after it become flagged failures. */
export const scheduleClaimChecks = async (messages: readonly StoredMessage[]): Promise<void> => {
  await send(
    unconfirmedSendsQueue,
    messages
      .filter(({ status }) => status === messageStatuses.processing)
      .map(({ companyId, contactId, id, attempt, claimedAt }) => ({
        companyId,
        message: { company_id: companyId, contact_id: contactId, message_id: id, attempt },
        delaySeconds: Math.max(1, Math.ceil(((claimedAt ?? 0) + ambiguousAfterSeconds * 1_000 - now()) / 1_000)),
      })),
  );
};

/** The rows of recipients that exist, by contact. Consistent for who sends: its earlier state would hide a row that waits again. 1 RRU each. */
export const getRecipientMessages = async (
  companyId: number,
  campaign: { id: number; batch: number },
  contactIds: readonly number[],
  secondMs: number,
  { consistent = true } = {},
): Promise<Map<number, StoredMessage>> => {
  const owner = { campaign };
  const found = new Map<number, StoredMessage>();
  let left = contactIds;
  for (let salt = 0; left.length > 0 && salt < maxSalts; salt++) {
    const ids = left.map((contactId) => ({ contactId, id: outboundMessageId(owner, contactId, secondMs, salt) }));
    const occupied = new Set<number>();
    for (const row of await getStoredMessages(companyId, ids, { consistent })) {
      if (isOwnedBy(row, owner)) found.set(row.contactId, row);
      else occupied.add(row.contactId);
    }
    left = left.filter((contactId) => occupied.has(contactId));
  }
  return found;
};

/** The content of a recipient's message, checked against the template; otherwise what does not fit. `percent`: of its max price, at which it is sent. */
export const composeRecipientContent = (
  stored: StoredTemplate,
  components: SendTemplateInput['components'],
  percent?: number,
): Composition => {
  const composition = composeTemplate(stored, { components, phone: '', template_name: stored.name }, isPublicLink);
  return composition.ok && percent !== undefined ? { ...composition, message: atPercent(composition.message, percent) } : composition;
};

const isWaiting = ({ status }: StoredMessage): boolean => status === messageStatuses.scheduled;

const draftOf = (
  { companyId, contactId, phone, userId, numberId, campaign, secondMs }: CampaignRecipient,
  content: MessageContent,
  state: OutboundState,
): OutboundDraft => ({
  companyId,
  contactId,
  phone,
  userId,
  numberId,
  content,
  priority: 'campaign',
  owner: { campaign },
  idTimeMs: secondMs,
  createdAt: now(),
  state,
});
