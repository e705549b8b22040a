import type { FieldErrors } from '../../../shared/contract/problems.ts';
import type { ListInput, LocationInput, TextInput } from '../contract/send.ts';
import type { StoredMedia } from '../../media/contract/stored.ts';
import { messageTypes } from '../contract/stored.ts';
import type { MessageContent } from '../contract/content.ts';

export type Composition = { ok: true; message: MessageContent } | { ok: false; errors: FieldErrors };

type TextParts = Pick<TextInput, 'message' | 'header' | 'footer' | 'buttons' | 'button_name' | 'button_url'> & {
  voice?: boolean | undefined;
};

/** Files without a caption, which stand above no buttons. */
const standsAloneAs: Partial<Record<StoredMedia['kind'], string>> = { audio: 'Audio', sticker: 'A sticker' };

/** Voice notes are Opus in Ogg. */
const voiceMime = 'audio/ogg';

/** Rules between fields that need no look at the file; checked before any read. */
export const textErrors = (input: TextParts & { sources: readonly string[] }): FieldErrors | undefined => {
  const errors: FieldErrors = {};
  const [first, second] = input.sources;
  if (second !== undefined) errors[second] = [`Not together with ${first}: a message has one file.`];
  const hasButtons = (input.buttons?.length ?? 0) > 0;
  const hasLink = Boolean(input.button_url) || Boolean(input.button_name);
  if (!input.message && first === undefined) errors['message'] = ['One of message, media_url, media_id and image is required.'];
  if (hasButtons && hasLink) errors['buttons'] = ['Not together with button_url: a message has quick replies or one link.'];
  if (input.button_url && !input.button_name) errors['button_name'] = ['Required with button_url.'];
  if (input.button_name && !input.button_url) errors['button_url'] = ['Required with button_name.'];
  if (hasButtons || hasLink) {
    if (!input.message) errors['message'] = ['Required with buttons.'];
    else if (input.message.length > 1_024) errors['message'] = ['Must have at most 1024 characters with buttons.'];
    if (input.header && first !== undefined) errors['header'] = ['Not together with a file: a message with buttons has one header.'];
  } else if (first !== undefined && asParagraphs(input).length > 1_024)
    errors['message'] = ['Must have at most 1024 characters as a caption.'];
  else if (asParagraphs(input).length > 4_096) errors['message'] = ['Must have at most 4096 characters with header and footer.'];
  const ids = buttonsOf(input).map(({ id }) => id);
  const titles = buttonsOf(input).map(({ title }) => title);
  if (new Set(ids).size < ids.length) errors['buttons'] = ['Each button needs an id of its own.'];
  else if (new Set(titles).size < titles.length) errors['buttons'] = ['Each button needs a title of its own.'];
  return Object.keys(errors).length > 0 ? errors : undefined;
};

/** The content of a text send. `media` is its file, if any. */
export const composeText = (input: TextParts, media: StoredMedia | undefined): Composition => {
  const text = input.message ?? '';
  const buttons = buttonsOf(input);
  const isInteractive = buttons.length > 0 || Boolean(input.button_url);
  const standsAlone = media && standsAloneAs[media.kind];
  if (standsAlone && isInteractive) return mediaRejected(media, [`${standsAlone} cannot stand above buttons.`]);
  if (standsAlone && asParagraphs(input) !== '')
    return { ok: false, errors: { message: [`${standsAlone} has no caption: send the text by itself.`] } };
  if (input.voice && media?.mime !== voiceMime) return { ok: false, errors: { voice: ['Needs an audio file of the type ogg.'] } };
  if (isInteractive) {
    const action = input.button_url
      ? { name: 'cta_url', parameters: { display_text: input.button_name, url: input.button_url } }
      : { buttons: buttons.map((reply) => ({ type: 'reply', reply })) };
    const header = media
      ? { type: media.kind, [media.kind]: mediaReference(media) }
      : input.header
        ? { type: 'text', text: input.header }
        : undefined;
    const interactive = { type: input.button_url ? 'cta_url' : 'button', ...interactiveFrame(header, text, input.footer), action };
    return composedMessage({
      type: messageTypes.text,
      subtype: input.button_url ? 'link' : 'buttons',
      value: text,
      payload: { type: 'interactive', interactive },
      media,
    });
  }
  const caption = asParagraphs(input);
  if (!media) return composedMessage({ type: messageTypes.text, subtype: 'text', value: caption, payload: undefined, media: undefined });
  const content = { ...mediaReference(media), ...(caption ? { caption } : {}), ...(input.voice ? { voice: true } : {}) };
  return composedMessage({
    type: messageTypes.media,
    subtype: input.voice ? 'voice' : media.kind,
    value: caption || media.url || media.filename || '',
    payload: { type: media.kind, [media.kind]: content },
    media: caption ? { ...media, caption } : media,
  });
};

/** The content of a list send. */
export const composeList = (input: ListInput): Composition => {
  const { sections, button } = input.action;
  const errors: FieldErrors = {};
  const rows = sections.flatMap((section) => section.rows);
  if (rows.length > 10) errors['action.sections'] = ['Must have at most 10 rows in all sections together.'];
  else if (new Set(rows.map(({ id }) => id)).size < rows.length) errors['action.sections'] = ['Each row needs an id of its own.'];
  for (const [index, { title }] of sections.entries())
    if (sections.length > 1 && !title) errors[`action.sections.${index}.title`] = ['Required when there are several sections.'];
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  const header = input.header ? { type: 'text', text: input.header } : undefined;
  const action = {
    button,
    sections: sections.map((section) => ({
      ...(section.title ? { title: section.title } : {}),
      rows: section.rows.map(({ id, title, description }) => ({ id, title, ...(description ? { description } : {}) })),
    })),
  };
  const interactive = { type: 'list', ...interactiveFrame(header, input.message, input.footer), action };
  return composedMessage({
    type: messageTypes.text,
    subtype: 'list',
    value: input.message,
    payload: { type: 'interactive', interactive },
    media: undefined,
  });
};

/** The content of a location send. */
export const composeLocation = ({ latitude, longitude, name, address }: LocationInput): Composition =>
  composedMessage({
    type: messageTypes.location,
    subtype: 'location',
    value: `${latitude},${longitude}`,
    payload: { type: 'location', location: { latitude, longitude, ...(name ? { name } : {}), ...(address ? { address } : {}) } },
    media: undefined,
  });

/** The content of a reaction; without an emoji it takes the one that is there back. */
export const composeReaction = (wamid: string, emoji: string): MessageContent => ({
  type: messageTypes.text,
  subtype: emoji === '' ? 'reaction_removed' : 'reaction',
  value: emoji,
  payload: { type: 'reaction', reaction: { message_id: wamid, emoji } },
  media: undefined,
});

/** A link as it is; a file of our bucket gets the provider's id when it is sent. */
const mediaReference = (media: StoredMedia): Record<string, string> => ({
  ...(media.key === undefined && media.url !== undefined ? { link: media.url } : {}),
  ...(media.kind === 'document' && media.filename ? { filename: media.filename } : {}),
});

const interactiveFrame = (header: unknown, text: string, footer: string | undefined) => ({
  ...(header ? { header } : {}),
  body: { text },
  ...(footer ? { footer: { text: footer } } : {}),
});

/** Plain texts and captions have no header and footer: those become paragraphs. */
const asParagraphs = ({ header, message, footer }: TextParts): string => [header, message, footer].filter(Boolean).join('\n\n');

const buttonsOf = ({ buttons }: TextParts): { id: string; title: string }[] =>
  (buttons ?? []).map(({ id, title }, index) => ({ id: id ?? `btn_${index + 1}`, title }));

const composedMessage = (message: MessageContent): Composition => ({ ok: true, message });
const mediaRejected = (media: StoredMedia, reasons: string[]): Composition => ({
  ok: false,
  errors: { [media.key === undefined ? 'media_url' : 'image']: reasons },
});
