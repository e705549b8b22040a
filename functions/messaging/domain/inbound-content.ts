import type { StoredMedia } from '../../media/contract/stored.ts';
import { messageTypes, type StoredMessage } from '../contract/stored.ts';
import type { InboundMessage } from '../contract/provider-update.ts';

/** The part of an inbound message that its row stores. */
export type InboundContent = Pick<StoredMessage, 'type' | 'subtype' | 'value' | 'contextWamid' | 'media' | 'content' | 'error' | 'raw'>;

/** The message's type, subtype, text and parts. Unknown kinds store the provider's whole payload. */
export const toInboundContent = (message: InboundMessage): InboundContent => {
  const read = (contentReaders[message.type] ?? unknown)(message) ?? unknown(message);
  const content = { ...read.content, ...commonContent(message) };
  const contextWamid = read.contextWamid ?? message.context?.id;
  return {
    ...read,
    ...(contextWamid ? { contextWamid } : {}),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
};

type ContentReader = (message: InboundMessage) => InboundContent | undefined;

const text = (subtype: string, value: string, more: Partial<InboundContent> = {}): InboundContent => ({
  type: messageTypes.text,
  subtype,
  value,
  ...more,
});

const contentReaders: Readonly<Record<string, ContentReader>> = {
  text: ({ text: written }) => written && text('text', written.body),
  image: ({ image }) => image && file('image', image),
  video: ({ video }) => video && file('video', video),
  audio: ({ audio }) => audio && { ...file('audio', audio), subtype: audio.voice ? 'voice' : 'audio' },
  document: ({ document }) => document && file('document', document),
  sticker: ({ sticker }) => sticker && file('sticker', sticker),
  location: ({ location }) =>
    location?.latitude === undefined || location.longitude === undefined
      ? undefined
      : {
          type: messageTypes.location,
          subtype: 'location',
          value: `${location.latitude},${location.longitude}`,
          content: { location: { ...location } },
        },
  contacts: ({ contacts }) =>
    contacts &&
    text(
      'contacts',
      contacts
        .map(({ name }) => name?.formatted_name ?? name?.first_name ?? '')
        .filter(Boolean)
        .join(', '),
      {
        content: { contacts },
      },
    ),
  button: ({ button }) => button && text('button', button.text ?? button.payload ?? '', { content: { button: { ...button } } }),
  interactive: (message) => interactive(message),
  reaction: ({ reaction }) =>
    reaction &&
    text(
      reaction.emoji ? 'reaction' : 'reaction_removed',
      reaction.emoji ?? '',
      reaction.message_id === undefined ? {} : { contextWamid: reaction.message_id },
    ),
  order: ({ order }) => order && text('order', order.text ?? '', { content: { order: { ...order } } }),
  system: (message) =>
    message.system &&
    text('system', message.system.body ?? '', {
      content: { system: { ...message.system }, ...(message['identity'] ? { identity: message['identity'] } : {}) },
    }),
  voice: ({ voice }) => voice && { ...file('audio', voice), subtype: 'voice' },
  edit: (message) => edited(message),
  call: ({ call }) => call && text('call', '', { content: { call: { ...call } } }),
  revoke: ({ revoke }) => revoke && text('revoke', '', referencedMessage(revoke.original_message_id)),
  unsupported: (message) => unsupported(message),
  request_welcome: () => text('request_welcome', ''),
};

/** The new text, or the new caption and file. */
function edited({ edit }: InboundMessage): InboundContent | undefined {
  if (!edit) return undefined;
  const { image, video, document, text: written } = edit.message ?? {};
  const { media } = (image && file('image', image)) ?? (video && file('video', video)) ?? (document && file('document', document)) ?? {};
  return text('edit', written?.body ?? media?.caption ?? '', {
    ...referencedMessage(edit.original_message_id),
    ...(media ? { media } : {}),
    content: { edit: { ...edit } },
  });
}

function interactive(message: InboundMessage): InboundContent | undefined {
  const reply = message.interactive;
  // the provider also posts interactive messages without their content
  if (!reply?.type) return unsupported(message);
  const { button_reply: button, list_reply: row, nfm_reply: flow } = reply;
  if (reply.type === 'button_reply' && button)
    return text('button_reply', button.title ?? '', { content: { button_reply: { ...button } } });
  if (reply.type === 'list_reply' && row) return text('list_reply', row.title ?? '', { content: { list_reply: { ...row } } });
  if (reply.type === 'nfm_reply' && flow) {
    const answer = flow.response_json;
    return {
      type: messageTypes.flowReply,
      subtype: 'nfm_reply',
      value: typeof answer === 'string' ? answer : JSON.stringify(answer ?? {}),
      content: { nfm_reply: { name: flow.name, body: flow.body } },
    };
  }
  return text(reply.type, '', { content: { interactive: { ...reply } } });
}

function file(kind: StoredMedia['kind'], given: NonNullable<InboundMessage['image']>): InboundContent {
  const media: StoredMedia = {
    kind,
    ...(given.mime_type === undefined ? {} : { mime: given.mime_type }),
    ...(given.sha256 === undefined ? {} : { sha256: toHexHash(given.sha256) }),
    ...(given.filename === undefined ? {} : { filename: withoutControls(given.filename) }),
    ...(given.caption === undefined ? {} : { caption: given.caption }),
    ...(given.id === undefined ? {} : { providerId: given.id }),
  };
  return { type: messageTypes.media, subtype: kind, value: given.caption ?? '', media };
}

/** Characters that turn the direction of what follows would show `fdp.exe` as `exe.pdf`; others would end a line. */
const withoutControls = (name: string): string => name.replaceAll(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');

/** Webhooks write the hash in base64, the media API in hex. */
const toHexHash = (hash: string): string =>
  /^[0-9a-f]{64}$/i.test(hash) ? hash.toLowerCase() : Buffer.from(hash, 'base64').toString('hex');

function unsupported(message: InboundMessage): InboundContent {
  const [first] = message.errors ?? [];
  const details = first?.error_data?.details;
  return text('unsupported', '', {
    error: {
      code: first?.code ?? 131051,
      title: first?.title ?? first?.message ?? 'Message type unknown',
      ...(details ? { details } : {}),
    },
    ...(message.unsupported?.type ? { content: { unsupported: { ...message.unsupported } } } : {}),
  });
}

function unknown(message: InboundMessage): InboundContent {
  if (message.errors?.[0]) return { ...unsupported(message), subtype: message.type };
  return text(message.type, '', { raw: JSON.stringify(message) });
}

/** Parts that any kind may have. */
function commonContent({ context, referral, group_id }: InboundMessage): Record<string, unknown> {
  const { id: _id, from: _from, ...others } = context ?? {};
  return {
    ...(Object.keys(others).length > 0 ? { context: others } : {}),
    ...(referral ? { referral } : {}),
    ...(group_id === undefined ? {} : { group_id }),
  };
}

const referencedMessage = (wamid: string | undefined): Partial<InboundContent> => (wamid === undefined ? {} : { contextWamid: wamid });
