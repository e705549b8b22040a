import { now } from '../../../shared/runtime/clock.ts';
import { messageId } from '../../../shared/runtime/ids.ts';
import { ensurePerson, findPerson, renamePerson } from '../../contacts/service/person.ts';
import { messageStatuses, type StoredMessage } from '../contract/stored.ts';
import type { InboundMessage, ProviderUpdate } from '../contract/webhook.ts';
import { readInbound } from '../domain/inbound.ts';
import { keywordOf } from '../domain/keyword.ts';
import { personName } from '../domain/receiving.ts';
import { providerTime } from '../domain/status.ts';
import { addMessage } from '../store/message.ts';
import { keep } from './kept-receiving.ts';
import { keywordsFor } from './keyword.ts';

/** A person's message becomes a row of their conversation, once (A33). Whoever has neither phone nor user id is kept aside. */
export const takeMessage = async (update: ProviderUpdate, message: InboundMessage, name: string | undefined): Promise<void> => {
  const contactId = await writerOf(update.company_id, message, name);
  if (contactId === undefined) return keep(update, 'messages', message);
  const phone = personName(message.from);
  const reading = await rowed(update, message);
  const keyword = reading.subtype === 'text' ? keywordOf(reading.value, await keywordsFor(update.company_id, reading.value)) : undefined;
  await addOnce(update, message, contactId, {
    ...reading,
    inbound: true,
    status: messageStatuses.delivered,
    ...(phone === undefined ? (message.from_user_id === undefined ? {} : { userId: message.from_user_id }) : { phone }),
    ...(keyword === undefined ? {} : { keyword }),
  });
};

/** What the business wrote from its phone stands in the conversation as sent. */
export const takeEcho = async (update: ProviderUpdate, message: InboundMessage): Promise<void> => {
  const person = { phone: personName(message.to), userId: message.to_user_id };
  if (person.phone === undefined && person.userId === undefined) return keep(update, 'message_echoes', message);
  const contactId = await ensurePerson(update.company_id, person);
  await addOnce(update, message, contactId, {
    ...(await rowed(update, message)),
    inbound: false,
    status: messageStatuses.sent,
    ...(person.phone === undefined ? {} : { phone: person.phone }),
  });
};

/** Whose message it is. The news that a person has another phone or user id moves the contact's identity first. */
async function writerOf(companyId: number, message: InboundMessage, name: string | undefined): Promise<number | undefined> {
  const person = { phone: personName(message.from), userId: message.from_user_id };
  const isNobody = person.phone === undefined && person.userId === undefined;
  if (message.type !== 'system' || message.system?.type === 'customer_identity_changed')
    return isNobody ? undefined : ensurePerson(companyId, { ...person, name });
  const renamed = { phone: personName(message.system?.wa_id), userId: message.system?.user_id };
  // who has the new name already is the person, moved by this very message before, or by hand
  const known = (await findPerson(companyId, renamed)) ?? (await findPerson(companyId, person));
  if (known !== undefined) await renamePerson(companyId, known, renamed);
  return known;
}

type Row = Omit<StoredMessage, 'companyId' | 'contactId' | 'id' | 'rev' | 'attempt' | 'createdAt' | 'updatedAt'>;

/** The id comes from the provider's, so that the same message again meets its own row. */
async function addOnce(update: ProviderUpdate, message: InboundMessage, contactId: number, row: Row): Promise<void> {
  const at = providerTime(message.timestamp, update.received_at);
  const stored: StoredMessage = {
    companyId: update.company_id,
    contactId,
    id: messageId(at, message.id),
    ...row,
    ...(row.inbound ? { deliveredAt: at } : { sentAt: at }),
    ...(update.phone_number_id === undefined ? {} : { phoneNumberId: update.phone_number_id }),
    rev: 0,
    wamid: message.id,
    attempt: 0,
    createdAt: at,
    arrivedAt: update.received_at,
    updatedAt: now(),
  };
  const written = await addMessage(stored);
  if (written.done || written.current?.wamid === message.id) return;
  // Two messages of one person in one second whose hashes meet: the later one takes the next free id, found again by its wamid.
  for (let salt = 1; salt < 100; salt++) {
    const again = await addMessage({ ...stored, id: messageId(at, `${message.id}:${salt}`) });
    if (again.done || again.current?.wamid === message.id) return;
  }
  throw new Error('No free message id in this second.');
}

/** The message as its row takes it: what is too large for one is kept beside it, whole. */
async function rowed(update: ProviderUpdate, message: InboundMessage) {
  const reading = readInbound(message);
  if (JSON.stringify(reading).length <= maxRowChars) return reading;
  await keep(update, 'messages', message);
  const { raw: _raw, content: _content, ...rest } = reading;
  return { ...rest, value: rest.value.slice(0, maxRowChars).toWellFormed() };
}

/** What a message's own row takes. A text has 4,096 characters at most; orders, people and answers of forms can be larger. */
const maxRowChars = 60_000;
