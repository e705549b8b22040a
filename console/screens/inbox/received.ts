import type { Message } from '../../../client/client.ts';
import type { InboxText } from '../../text/inbox.ts';
import { record, textIn } from './message-data.ts';

/** What customers answer and share, taken out of the provider's forms: nothing of them is taken for granted. */

/** The answer to a flow or an address form as names and values, in its order. The token is the sender's own, not the customer's. */
export const formIn = (value: string): { name: string; value: string }[] =>
  pairsOf(parsed(value), '').filter(({ value: words }) => words !== '');

const parsed = (value: string): unknown => {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
};

const notOfTheCustomer = new Set(['flow_token', 'saved_address_id']);

const pairsOf = (answer: unknown, prefix: string): { name: string; value: string }[] =>
  Object.entries(record(answer) ?? {}).flatMap(([key, value]) => {
    if (notOfTheCustomer.has(key)) return [];
    // an address stands in an object of its own
    const name = key === 'values' ? prefix : [prefix, inWords(key)].filter(Boolean).join(' · ');
    return record(value) ? pairsOf(value, name) : [{ name, value: valueInWords(value) }];
  });

/** `screen_0_delivery_day_1`, as the provider's form builder names it, is `delivery day`. */
const inWords = (key: string): string =>
  key
    .replace(/^screen_\d+_/, '')
    .replace(/_\d+$/, '')
    .replaceAll(/[_-]+/g, ' ')
    .trim() || key;

const valueInWords = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(valueInWords).filter(Boolean).join(', ');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value).trim() : '';
};

type Shown = Pick<Message, 'subtype' | 'value' | 'content' | 'is_message_by_contact'>;

/** What a customer did beside writing, in one line among the messages; undefined: it is a message. */
export const quietLineOf = (
  text: InboxText,
  { subtype, value, content, is_message_by_contact: isByContact }: Shown,
): string | undefined => {
  if (isByContact !== 1) return undefined;
  switch (subtype) {
    case 'edit':
      return text.lineEdited(value);
    case 'revoke':
      return text.lineRevoked;
    case 'request_welcome':
      return text.lineOpenedChat;
    case 'system':
      return systemLineOf(text, record(content?.['system']), value);
    default:
      return undefined;
  }
};

function systemLineOf(text: InboxText, system: ReturnType<typeof record>, value: string): string {
  const phone = textIn(system?.['wa_id']);
  switch (system?.['type']) {
    case 'user_changed_number':
      return phone === undefined ? text.lineChangedNumber : text.lineChangedNumberTo(`+${phone}`);
    case 'user_changed_user_id':
      return text.lineChangedId;
    case 'customer_identity_changed':
      return text.lineChangedDevice;
    default:
      return value === '' ? text.lineChangedAccount : value;
  }
}

/** Why a message cannot be shown. 131060: the provider had not passed the chat on yet. */
export const unsupportedOf = (text: InboxText, { content, error }: Pick<Message, 'content' | 'error'>): string => {
  if (error?.code === 131_060) return text.unsupportedOnPhone;
  const kind = textIn(record(content?.['unsupported'])?.['type']);
  return kind === undefined || kind === 'unknown' ? text.unsupported : text.unsupportedKind(kind.replaceAll('_', ' '));
};
