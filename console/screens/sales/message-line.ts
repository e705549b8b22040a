import type { Message } from '../../../client/client.ts';
import type { salesText } from '../../text/sales.ts';
import type { TextOf } from '../../text/text.ts';

/** A message of the conversation in words: its text, and what it is where it is more than a text. */
export const messageLine = (
  { value, subtype, revoked_at: revoked }: Pick<Message, 'value' | 'subtype' | 'revoked_at'>,
  text: TextOf<typeof salesText>,
): string => {
  if (revoked !== null) return text.messageGone;
  const kinds: Readonly<Record<string, string>> = {
    image: text.picture,
    sticker: text.picture,
    video: text.video,
    audio: text.audio,
    voice: text.audio,
    document: text.document,
    location: text.place,
    contacts: text.contact,
    order: text.orderMessage,
  };
  const kind = kinds[subtype];
  // the value of these is data, and no words
  if (kind !== undefined && ['location', 'contacts', 'order'].includes(subtype)) return kind;
  if (kind !== undefined) return value === '' ? kind : `${kind}: ${value}`;
  return value === '' || value.startsWith('{') ? text.otherMessage : value;
};
