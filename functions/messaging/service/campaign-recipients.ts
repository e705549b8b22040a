import { now } from '../../../shared/runtime/clock.ts';
import { messageId } from '../../../shared/runtime/ids.ts';
import { send } from '../../../shared/queue/send.ts';
import { ambiguousAfterSeconds, unconfirmedSendsQueue } from '../contract/queue.ts';
import type { SendTemplateInput } from '../contract/send-template.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import type { SendingNumber } from '../gateway/messages.ts';
import type { Composition } from '../domain/compose-text.ts';
import { composeTemplate } from '../domain/compose-template.ts';
import type { MessageContent } from '../domain/content.ts';
import { createMessage, getMessages } from '../store/message.ts';
import { callAndRecord, updateMessageWhile } from './send-attempt.ts';
import { isPublicLink } from '../domain/public-link.ts';

/**
 * What a campaign uses of the one way of sending (architecture 5). A recipient's row is written by its claim, in status 6, on the condition
 * that there is none: 1 WRU that both makes the row and says who calls. The content is not kept in the row but made again from the template.
 */
export { providerErrorEntry } from '../../../shared/provider/errors.ts';
export { parseSchedule as readSchedule } from '../../../shared/runtime/schedule.ts';
export { templateParameters as templateNeeds, type TemplateParameters as TemplateNeeds } from '../domain/compose-template.ts';
export { campaignSlotCount as campaignBlock } from '../domain/pace.ts';
export { reserveCampaignSlots as takeCampaignSlots, waitForSlot as untilSlot } from './send-slots.ts';
export type { MessageContent as Composed } from '../domain/content.ts';
export type { SendingNumber } from '../gateway/messages.ts';

export interface CampaignRecipient {
  companyId: number;
  contactId: number;
  phone: string;
  numberId: number;
  campaign: NonNullable<StoredMessage['campaign']>;
  /** The second of the message's id, epoch milliseconds: the block's, so that a repetition makes the same ids. */
  secondMs: number;
}

/** Ids of a recipient's message: the first, and what stands in for it when another message of the conversation has it. */
export const recipientMessageId = (campaignId: number, contactId: number, secondMs: number, salt = 0): number =>
  messageId(secondMs, `campaign:${campaignId}:${contactId}:${salt}`);

/** Claims a recipient. Not fresh: somebody did before, and the row tells what came of it. 1 WRU. */
export const claimRecipient = (
  recipient: CampaignRecipient,
  composed: MessageContent,
): Promise<{ fresh: boolean; message: StoredMessage }> =>
  createRecipientMessage(recipient, composed, (at) => ({ status: messageStatuses.processing, attempt: 1, claimedAt: at }));

/** The row of a recipient that is asked for by its own call: it waits in status 0 until a worker claims it. */
export const createWaitingRecipient = async (recipient: CampaignRecipient, composed: MessageContent): Promise<StoredMessage> =>
  (await createRecipientMessage(recipient, composed, () => ({ status: messageStatuses.scheduled, attempt: 0 }))).message;

/** Claims a row that waits: made before, or given back by the provider, or retried. Undefined: it does not wait any more. 1 WRU. */
export const claimWaitingRecipient = (
  message: StoredMessage,
  number: { id: number },
  composed: MessageContent,
): Promise<StoredMessage | undefined> =>
  updateMessageWhile(message, isWaiting, (seen, at) => ({
    status: messageStatuses.processing,
    attempt: seen.attempt + 1,
    claimedAt: at,
    dueAt: undefined,
    numberId: number.id,
    value: composed.value,
  }));

/** A row that waits will not be sent: it is kept as a failure. */
export const failWaitingRecipient = (
  message: StoredMessage,
  error: NonNullable<StoredMessage['error']>,
): Promise<StoredMessage | undefined> =>
  updateMessageWhile(message, isWaiting, (_, at) => ({ status: messageStatuses.failed, dueAt: undefined, failedAt: at, error }));

/** A failure becomes a row that waits (5 to 0, only by a retry). Undefined: it is no such failure any more. */
export const retryFailedRecipient = (message: StoredMessage, holds: (seen: StoredMessage) => boolean): Promise<StoredMessage | undefined> =>
  updateMessageWhile(message, holds, ({ wamid, pastWamids = [] }) => ({
    status: messageStatuses.scheduled,
    failedAt: undefined,
    sentAt: undefined,
    error: undefined,
    ...(wamid === undefined ? {} : { wamid: undefined, pastWamids: [...pastWamids, wamid] }),
  }));

/** Calls for a claimed recipient and settles its row. 1 WRU. */
export const sendToRecipient = (claimed: StoredMessage, number: SendingNumber, composed: MessageContent): Promise<StoredMessage> =>
  callAndRecord(claimed, number, { payload: composed.payload });

/** Rows that somebody claimed and died over: what has no evidence two minutes after its claim becomes a flagged failure. */
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

/** The rows of recipients that there are, by contact. 0.5 RRU each. */
export const getRecipientMessages = async (
  companyId: number,
  campaign: { id: number; block: number },
  contactIds: readonly number[],
  secondMs: number,
): Promise<Map<number, StoredMessage>> => {
  const found = new Map<number, StoredMessage>();
  let left = contactIds;
  for (let salt = 0; left.length > 0 && salt < maxSalts; salt++) {
    const ids = left.map((contactId) => ({ contactId, id: recipientMessageId(campaign.id, contactId, secondMs, salt) }));
    const rows = await getMessages(companyId, ids);
    const occupied = new Set<number>();
    for (const row of rows) {
      if (row.campaign?.id === campaign.id && row.campaign.block === campaign.block) found.set(row.contactId, row);
      else occupied.add(row.contactId);
    }
    left = left.filter((contactId) => occupied.has(contactId));
  }
  return found;
};

/** The content of a recipient's message, checked against the template; the problems with it otherwise. */
export const composeRecipientContent = (stored: StoredTemplate, components: SendTemplateInput['components']): Composition =>
  composeTemplate(stored, { components, phone: '', template_name: stored.name }, isPublicLink);

const maxSalts = 8;

const isWaiting = ({ status }: StoredMessage): boolean => status === messageStatuses.scheduled;

async function createRecipientMessage(
  { companyId, contactId, phone, numberId, campaign, secondMs }: CampaignRecipient,
  { type, subtype, value, media }: MessageContent,
  state: (at: number) => Pick<StoredMessage, 'status' | 'attempt' | 'claimedAt'>,
): Promise<{ fresh: boolean; message: StoredMessage }> {
  for (let salt = 0; salt < maxSalts; salt++) {
    const at = now();
    const message: StoredMessage = {
      companyId,
      contactId,
      id: recipientMessageId(campaign.id, contactId, secondMs, salt),
      inbound: false,
      type,
      subtype,
      value,
      rev: 0,
      phone,
      numberId,
      ...(media ? { media } : {}),
      lane: 'campaign',
      campaign,
      ...state(at),
      createdAt: at,
      updatedAt: at,
    };
    const written = await createMessage(message);
    if (written.done) return { fresh: true, message };
    const held = written.current;
    if (held?.campaign?.id === campaign.id && held.campaign.block === campaign.block) return { fresh: false, message: held };
  }
  throw new Error('A conversation has no message id left in a second.');
}
