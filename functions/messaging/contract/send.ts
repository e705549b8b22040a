import * as z from 'zod';
import { looseBoolean, text, withOneOf } from '../../../shared/contract/fields.ts';
import { file } from '../../../shared/contract/file.ts';
import { route } from '../../../shared/contract/route.ts';
import { contactsBody } from './send-contacts.ts';
import { interactiveBody } from './send-interactive.ts';
import {
  httpsLink,
  idText,
  immediateOptions,
  link,
  messageName,
  recipientFields,
  sendAccess,
  sendOptions,
  toRecipient,
} from './send-fields.ts';

const label = (most: number) => text(most, 1);
const replyButton = z.object(
  {
    id: idText(256).optional().meta({ description: 'What the reply webhook carries; `btn_1`, `btn_2` ... by default.' }),
    title: label(20).meta({ description: 'The label, up to 20 characters.' }),
  },
  { error: 'Must be an object with id and title.' },
);

const interactiveFrame = {
  header: text(60).optional().meta({ description: 'A title above the text, up to 60 characters.' }),
  footer: text(60).optional().meta({ description: 'A line below the text, up to 60 characters.' }),
};

const textFields = {
  ...recipientFields,
  message: text(4_096).optional().meta({ description: 'The text, up to 4,096 characters; 1,024 with buttons or as a caption of a file.' }),
  media_url: link
    .optional()
    .meta({ description: 'The URL of an image, document, audio, video or sticker (webp). The provider fetches it.' }),
  media_id: idText(40).optional().meta({ description: 'The id of a file that was uploaded with createUpload.' }),
  voice: looseBoolean.optional().meta({
    description: 'With true, an audio file of the type ogg (Opus, mono) is shown as a voice note.',
  }),
  ...interactiveFrame,
  buttons: z
    .array(replyButton, { error: 'Must be a list of up to 3 buttons.' })
    .max(3, { error: 'Must have at most 3 buttons.' })
    .optional()
    .meta({ description: 'Up to 3 quick replies.' }),
  button_name: text(20).optional().meta({ description: 'The label of a call-to-action button; needs `button_url`.' }),
  button_url: httpsLink.optional().meta({ description: 'The https URL that the call-to-action button opens.' }),
  ...sendOptions,
};

const row = z.object(
  {
    id: idText(200).meta({ description: 'What the reply webhook carries.' }),
    title: label(24).meta({ description: 'The label, up to 24 characters.' }),
    description: text(72).nullish().meta({ description: 'A line below the label, up to 72 characters.' }),
  },
  { error: 'Must be an object with id, title and description.' },
);
const section = z
  .object(
    {
      title: text(24).nullish().meta({ description: 'The title of the section, up to 24 characters; required with several sections.' }),
      rows: z
        .array(row, { error: 'Must be a list of rows.' })
        .min(1, { error: 'Must have at least one row.' })
        .meta({ description: 'The rows to choose from.' }),
    },
    { error: 'Must be an object with title and rows.' },
  )
  .meta({ id: 'ListSection' });

const listFields = {
  ...recipientFields,
  message: text(4_096, 1).meta({ description: 'The text above the list, up to 4,096 characters.' }),
  action: z
    .object(
      {
        button: label(20).meta({ description: 'The label of the button that opens the list.' }),
        sections: z
          .array(section, { error: 'Must be a list of sections.' })
          .min(1, { error: 'Must have at least one section.' })
          .max(10, { error: 'Must have at most 10 sections.' })
          .meta({ description: 'The sections of the list.' }),
      },
      { error: 'Must be an object with button and sections.' },
    )
    .meta({ description: 'The button that opens the list, and up to 10 sections with up to 10 rows in all.' }),
  ...interactiveFrame,
  ...sendOptions,
};

const degrees = { error: 'Must be a number of degrees.' };
const coordinate = (most: number) =>
  z
    .union([z.number(), z.string().regex(/^-?\d{1,3}(\.\d{1,20})?$/, degrees)], degrees)
    .transform(Number)
    .refine((given) => Math.abs(given) <= most, { error: `Must be between -${most} and ${most}.` })
    .meta({ override: { type: 'number', minimum: -most, maximum: most } });

export const locationBody = toRecipient(
  z.object({
    ...recipientFields,
    latitude: coordinate(90).meta({ description: 'Degrees north, -90 to 90.' }),
    longitude: coordinate(180).meta({ description: 'Degrees east, -180 to 180.' }),
    name: text(1_000).optional().meta({ description: 'The name of the place.' }),
    address: text(1_000).optional().meta({ description: 'The address of the place; shown with its name.' }),
    ...sendOptions,
  }),
);
export type LocationInput = z.output<typeof locationBody>;

export const reactionBody = toRecipient(
  z.object({
    ...recipientFields,
    message_id: messageName.meta({ description: 'The message to react to, in this conversation: its wamid, or its id.' }),
    emoji: z
      .string({ error: 'Must be an emoji, or empty.' })
      .max(40, { error: 'Must be one emoji.' })
      .refine((emoji) => emoji === '' || /^(?!.*[\p{L}\s])(?=.*(\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3))/u.test(emoji), {
        error: 'Must be one emoji, or empty.',
      })
      .meta({ description: 'The emoji; an empty text takes the reaction back.', example: '👍' }),
    ...immediateOptions,
  }),
);
export type ReactionInput = z.output<typeof reactionBody>;

/** What a text send can consist of. */
const contentFields = ['message', 'media_url', 'media_id', 'image'] as const;

export const textBody = withOneOf(
  toRecipient(
    z.object({ ...textFields, image: file.optional().meta({ description: 'A file to send, in a multipart/form-data request.' }) }),
  ),
  contentFields,
);
export const textQuery = withOneOf(toRecipient(z.object(textFields)), contentFields);
export const listBody = toRecipient(z.object(listFields));
export type TextInput = z.output<typeof textBody>;
export type ListInput = z.output<typeof listBody>;

const sendErrors = [
  'validation_failed',
  'window_closed',
  'number_missing',
  'plan_limit_reached',
  'recipient_blocked',
  'provider_rejected',
  'spend_limit_reached',
  'price_unknown',
] as const;
export const sendRoutes = {
  sendContacts: route({
    ...sendAccess,
    method: 'POST',
    path: '/api/v1/messages/contacts',
    summary: 'Send contact cards',
    description:
      'Sends the cards of people or companies, with which the recipient can call them, write to them or save them. Needs an open customer service window, as every free-form message.',
    body: contactsBody.meta({ id: 'SendContactsRequest' }),
    refuses: ['time'],
    errors: sendErrors,
  }),
  sendText: route({
    ...sendAccess,
    method: 'POST',
    path: '/api/v1/messages/text',
    summary: 'Send a text, a file or buttons',
    description:
      'Sends a free-form message: a text, a file (by link, by upload or in the form), up to three quick replies, or one call-to-action button. ' +
      'Free-form messages are delivered within 24 hours of the last message from the customer (customer service window); outside it, send a template. ' +
      'With `scheduled_at` the message is sent later and can be cancelled. Repeat a request with the same Idempotency-Key: the message is sent once. ' +
      '202 means that the provider has not confirmed the message yet; its status follows by webhook.',
    accepts: ['json', 'multipart'],
    body: textBody.meta({ id: 'SendTextRequest' }),
    refuses: ['time', 'media'],
    errors: sendErrors,
  }),
  sendTextByGet: route({
    ...sendAccess,
    method: 'GET',
    path: '/api/v1/messages/text',
    summary: 'Send a text with a GET request',
    description: 'Deprecated form of sendText, with the fields in the query. HEAD never sends.',
    query: textQuery,
    errors: sendErrors,
    deprecated: { successor: '/api/v1/messages/text' },
  }),
  sendList: route({
    ...sendAccess,
    method: 'POST',
    path: '/api/v1/messages/list',
    summary: 'Send a list message',
    description:
      'Sends a text with a button that opens a list of up to 10 rows. The choice of the customer comes back as an inbound message of the subtype `list_reply`, with the id of the row.',
    body: listBody.meta({ id: 'SendListRequest' }),
    refuses: ['time'],
    errors: sendErrors,
  }),
  sendListByGet: route({
    ...sendAccess,
    method: 'GET',
    path: '/api/v1/messages/list',
    summary: 'Send a list message with a GET request',
    description: 'Deprecated form of sendList, with the fields in the query; `action` as a JSON text. HEAD never sends.',
    query: listBody,
    errors: sendErrors,
    deprecated: { successor: '/api/v1/messages/list' },
  }),
  sendInteractive: route({
    ...sendAccess,
    method: 'POST',
    path: '/api/v1/messages/interactive',
    summary: 'Send a flow, products, a carousel or a request',
    description:
      'Sends a text with something to do, by `interactive.type`: a request for the location or the phone number, a flow, one product, a list of products, the catalog, an address form, or a carousel of pictures. ' +
      'Quick replies and a link are in sendText, lists in sendList. What the recipient does comes back as an inbound message, which names this one in `context_message_id`. ' +
      'Needs an open customer service window, as every free-form message.',
    body: interactiveBody.meta({ id: 'SendInteractiveRequest' }),
    refuses: ['time', 'template', 'media'],
    errors: sendErrors,
  }),
  sendLocation: route({
    ...sendAccess,
    method: 'POST',
    path: '/api/v1/messages/location',
    summary: 'Send a location',
    description: 'Sends a place on the map, with its name and address. Needs an open customer service window, as every free-form message.',
    body: locationBody.meta({ id: 'SendLocationRequest' }),
    refuses: ['time'],
    errors: sendErrors,
  }),
  sendReaction: route({
    ...sendAccess,
    method: 'POST',
    path: '/api/v1/messages/reaction',
    summary: 'React to a message',
    description:
      'Puts an emoji on a message of the conversation, or takes it back with an empty `emoji`. The message must be younger than 30 days and no reaction itself. The provider reports only that it was sent.',
    body: reactionBody.meta({ id: 'SendReactionRequest' }),
    refuses: ['time'],
    errors: sendErrors,
  }),
};
