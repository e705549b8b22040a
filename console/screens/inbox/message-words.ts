import type { InboxText } from '../../text/inbox.ts';
import { formIn, quietLineOf } from './received.ts';

/** What a message is called where its text does not say it. */
export const kindOf = (text: InboxText, subtype: string): string => {
  const names: Readonly<Record<string, string>> = {
    image: text.image,
    video: text.video,
    audio: text.audio,
    voice: text.voice,
    document: text.document,
    sticker: text.sticker,
    location: text.location,
    contacts: text.contacts,
    order: text.orderWord,
    template: text.template,
  };
  return names[subtype] ?? '';
};

/** A message in one line, for a list. */
export const lineOf = (
  text: InboxText,
  { value, subtype, is_message_by_contact }: { value: string; subtype: string; is_message_by_contact?: number },
): string => {
  const kind = kindOf(text, subtype);
  if (subtype === 'location') return kind;
  if (subtype === 'unsupported') return text.unsupported;
  if (subtype === 'nfm_reply') return [text.formAnswer, ...formIn(value).map((each) => each.value)].join(' · ');
  const quiet = is_message_by_contact === 0 ? undefined : quietLineOf(text, { subtype, value, content: null, is_message_by_contact: 1 });
  if (quiet !== undefined) return quiet;
  if (kind === '' || subtype === 'template') return value || kind;
  return value ? `${kind}: ${value}` : kind;
};
