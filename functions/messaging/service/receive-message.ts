import { now } from '../../../shared/runtime/clock.ts';
import { messageId } from '../../../shared/runtime/ids.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { ensureSender } from '../../contacts/service/ensure-sender.ts';
import { findByIdentities, type Sender } from '../../contacts/service/find-by-identities.ts';
import { moveIdentities } from '../../contacts/service/move-identities.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import type { InboundMessage, ProviderUpdate } from '../contract/provider-update.ts';
import { toInboundContent } from '../domain/inbound-content.ts';
import { matchKeyword } from '../domain/keyword.ts';
import { phoneOfWaId } from '../domain/wa-id.ts';
import { providerTime } from '../domain/status.ts';
import { getStoredMessage, updateMessage } from '../store/message.ts';
import { createUnderFreeId } from './create-outbound.ts';
import { archiveUpdate } from './archive-update.ts';
import { getMatchingKeywords } from './keywords.ts';
import { findByWamid } from './messages.ts';

/** Stores an inbound message in its conversation, once. A message without phone and user id is archived. */
export const receiveMessage = async (update: ProviderUpdate, message: InboundMessage, names: Names): Promise<void> => {
  const sender = await senderOf(update, message, names);
  if (sender === undefined) return archiveUpdate(update, 'messages', message);
  if (message.type === 'call' && (await endCall(update, message, sender))) return;
  await applyToOriginal(update, message, sender);
  const phone = phoneOfWaId(message.from);
  const reading = await toRow(update, message);
  const keyword =
    reading.subtype === 'text' && !update.is_unsigned
      ? matchKeyword(reading.value, await getMatchingKeywords(update.company_id, reading.value))
      : undefined;
  await createReceivedMessage(update, message, sender, {
    ...reading,
    inbound: true,
    status: messageStatuses.delivered,
    ...(phone === undefined ? (message.from_user_id === undefined ? {} : { userId: message.from_user_id }) : { phone }),
    ...(keyword === undefined ? {} : { keyword }),
  });
};

/** Stores a message that the business wrote on its phone, as sent. */
export const receiveEcho = async (update: ProviderUpdate, message: InboundMessage): Promise<void> => {
  const identity = identityOf(update, { phone: phoneOfWaId(message.to), userId: message.to_user_id });
  if (identity.phone === undefined && identity.userId === undefined) return archiveUpdate(update, 'message_echoes', message);
  const at = providerTime(message.timestamp, update.received_at);
  const recipient = await ensureSenderOf(update, message, identity, at);
  await applyToOriginal(update, message, recipient);
  await createReceivedMessage(update, message, recipient, {
    ...(await toRow(update, message)),
    inbound: false,
    status: messageStatuses.sent,
    ...(identity.phone === undefined ? {} : { phone: identity.phone }),
  });
};

/** Applies an edit or a revocation to the message that it names. Of a revoked one nothing is left but that it was there. */
async function applyToOriginal(update: ProviderUpdate, message: InboundMessage, sender: Sender): Promise<void> {
  const wamid = (message.edit ?? message.revoke)?.original_message_id;
  if (wamid === undefined) return;
  const at = providerTime(message.timestamp, update.received_at);
  const { value, media } = toInboundContent(message);
  await changeByWamid(update.company_id, sender, wamid, (original) =>
    message.revoke
      ? { revokedAt: at, value: '', media: undefined, content: undefined, payload: undefined, raw: undefined }
      : (original.editedAt ?? 0) > at || original.revokedAt !== undefined
        ? {}
        : { editedAt: at, value, ...(media ? { media } : {}) },
  );
}

/** Adds to a call that rang how it ended. False: it is not known to have rung. */
const endCall = (update: ProviderUpdate, message: InboundMessage, sender: Sender): Promise<boolean> =>
  changeByWamid(update.company_id, sender, message.id, (ringing) => {
    const { call } = message;
    const isEnded = part(ringing.content?.['call'])['event'] === 'terminate';
    return isEnded || call?.event !== 'terminate' ? {} : { content: { ...ringing.content, call: { ...call } } };
  });

const part = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** False: the conversation has no such message among its newest. */
async function changeByWamid(
  companyId: number,
  { contactId, mergedIds }: Sender,
  wamid: string,
  changeOf: (message: StoredMessage) => Partial<StoredMessage>,
): Promise<boolean> {
  return retryOnConflict(maxConflicts, async () => {
    const seen = await findByWamid(companyId, [contactId, ...mergedIds], wamid);
    if (!seen) return false;
    const change = changeOf(seen);
    return Object.keys(change).length === 0 || (await updateMessage(seen, change, now())).done ? true : conflict;
  });
}

/** The contact that sent the message. A system message about a new phone or user id changes the contact's identity first, once. */
async function senderOf(update: ProviderUpdate, message: InboundMessage, names: Names): Promise<Sender | undefined> {
  const { company_id: companyId } = update;
  const at = providerTime(message.timestamp, update.received_at);
  const identity = identityOf(update, { phone: phoneOfWaId(message.from) ?? sharedPhoneOf(message), userId: message.from_user_id });
  const isAnonymous = identity.phone === undefined && identity.userId === undefined;
  if (message.type !== 'system' || message.system?.type === 'customer_identity_changed')
    return isAnonymous ? undefined : ensureSenderOf(update, message, { ...identity, ...names }, at);
  const { wa_id: phone, user_id: userId, previous_user_id: previousUserId } = message.system ?? {};
  const renamed = { phone: phoneOfWaId(phone), userId };
  const moved = await findByIdentities(companyId, renamed, { at });
  // another customer may have the former phone by now
  if (moved && (await isStored(companyId, moved, message.id, at))) return moved;
  // a new user id often comes without the phone, and without the former id in its usual place, which may have the new one
  const formerUserId = previousUserId ?? (identity.userId === userId ? undefined : identity.userId);
  return moveIdentities(companyId, { phone: identity.phone, userId: formerUserId }, renamed, at + wholeSecondMs);
}

/** A message that an earlier delivery stored restores no contact that was deleted since. */
const ensureSenderOf = (
  { company_id: companyId }: ProviderUpdate,
  { id }: InboundMessage,
  sender: Identity & Partial<Names>,
  at: number,
): Promise<Sender> => ensureSender(companyId, sender, at, (deleted) => isStored(companyId, deleted, id, at));

/** As the sender is called at the provider. */
type Names = Record<'name' | 'username', string | undefined>;

interface Identity {
  phone: string | undefined;
  userId: string | undefined;
}

/** Phone and user id in one message join two contacts: an unsigned post joins none. */
const identityOf = ({ is_unsigned: isUnsigned }: ProviderUpdate, { phone, userId }: Identity): Identity =>
  isUnsigned && phone !== undefined ? { phone, userId: undefined } : { phone, userId };

/** The provider's times have whole seconds. */
const wholeSecondMs = 999;

/** Whether an earlier delivery stored the message. 0.5 RRU a contact. */
async function isStored(companyId: number, { contactId, mergedIds }: Sender, wamid: string, at: number): Promise<boolean> {
  for (const id of [contactId, ...mergedIds])
    if ((await getStoredMessage(companyId, id, messageId(at, wamid)))?.wamid === wamid) return true;
  return false;
}

/** The own phone that a sender shared at the request of the business. */
const sharedPhoneOf = ({ contacts, from_user_id: userId }: InboundMessage): string | undefined =>
  userId === undefined
    ? undefined
    : contacts
        ?.filter(({ origin }) => origin === 'contact_request')
        .flatMap(({ phones }) => phones ?? [])
        .map(({ wa_id: phone }) => phoneOfWaId(phone))
        .find((phone) => phone !== undefined);

type InboundRow = Omit<StoredMessage, 'companyId' | 'contactId' | 'id' | 'rev' | 'attempt' | 'createdAt' | 'updatedAt'>;

/** The id follows from the provider's id, so that a repeated message meets its own row. */
async function createReceivedMessage(update: ProviderUpdate, message: InboundMessage, sender: Sender, row: InboundRow): Promise<void> {
  const { contactId, mergedIds } = sender;
  const at = providerTime(message.timestamp, update.received_at);
  if (mergedIds.length > 0 && (await isStored(update.company_id, sender, message.id, at))) return;
  const stored: StoredMessage = {
    companyId: update.company_id,
    contactId,
    id: messageId(at, message.id),
    ...row,
    ...(row.inbound ? { deliveredAt: at } : { sentAt: at }),
    ...(update.phone_number_id === undefined ? {} : { phoneNumberId: update.phone_number_id }),
    ...(update.number_id === undefined ? {} : { numberId: update.number_id }),
    ...(update.is_unsigned ? { isUnsigned: true } : {}),
    rev: 0,
    wamid: message.id,
    attempt: 0,
    createdAt: at,
    arrivedAt: update.received_at,
    updatedAt: now(),
  };
  await createUnderFreeId(
    (salt) => (salt === 0 ? stored : { ...stored, id: messageId(at, `${message.id}:${salt}`) }),
    ({ wamid }) => wamid === message.id,
  );
}

/** The content for the row; a message that is too large for one is archived whole beside it. */
async function toRow(update: ProviderUpdate, message: InboundMessage) {
  const reading = toInboundContent(message);
  if (JSON.stringify(reading).length <= maxRowChars) return reading;
  await archiveUpdate(update, 'messages', message);
  const { raw: _raw, content: _content, ...rest } = reading;
  return { ...rest, value: rest.value.slice(0, maxRowChars).toWellFormed() };
}

/** The limit of a row. A text has at most 4,096 characters; orders, shared contacts and form replies can be larger. */
const maxRowChars = 60_000;
