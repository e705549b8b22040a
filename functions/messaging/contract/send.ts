import * as z from 'zod';
import { numberAsText, text } from '../../../shared/contract/fields.ts';
import { file } from '../../../shared/contract/file.ts';
import { route } from '../../../shared/contract/route.ts';
import { httpsLink, link, sendOptions, phone, sendAccess } from './send-fields.ts';

const label = (most: number) => text(most, 1);
const idText = (most: number) =>
  z
    .union([numberAsText, z.string()], { error: 'Must be a text.' })
    .pipe(text(most, 1))
    .meta({ override: { type: 'string', maxLength: most } });

const replyButton = z.object({ id: idText(256).optional(), title: label(20) }, { error: 'Must be an object with id and title.' });

const interactiveFrame = {
  header: text(60).optional().meta({ description: 'Above the text, up to 60 characters' }),
  footer: text(60).optional().meta({ description: 'Below the text, up to 60 characters' }),
};

const textFields = {
  phone,
  message: text(4_096).optional().meta({ description: 'The text, up to 4,096 characters; 1,024 with buttons or as a caption' }),
  media_url: link.optional().meta({ description: 'Image, document, audio or video by its address' }),
  media_id: idText(40).optional().meta({ description: 'A file uploaded through POST /media/uploads' }),
  ...interactiveFrame,
  buttons: z
    .array(replyButton, { error: 'Must be a list of up to 3 buttons.' })
    .max(3, { error: 'Must have at most 3 buttons.' })
    .optional()
    .meta({ description: 'Quick replies' }),
  button_name: text(20).optional().meta({ description: 'Label of a call-to-action button; with button_url' }),
  button_url: httpsLink.optional().meta({ description: 'Where the call-to-action button leads' }),
  ...sendOptions,
};

const row = z.object(
  { id: idText(200), title: label(24), description: text(72).nullish() },
  { error: 'Must be an object with id, title and description.' },
);
const section = z.object(
  {
    title: text(24).nullish(),
    rows: z.array(row, { error: 'Must be a list of rows.' }).min(1, { error: 'Must have at least one row.' }),
  },
  { error: 'Must be an object with title and rows.' },
);

const listFields = {
  phone,
  message: text(4_096, 1).meta({ description: 'The text above the list, up to 4,096 characters' }),
  action: z
    .object(
      {
        button: label(20),
        sections: z
          .array(section, { error: 'Must be a list of sections.' })
          .min(1, { error: 'Must have at least one section.' })
          .max(10, { error: 'Must have at most 10 sections.' }),
      },
      { error: 'Must be an object with button and sections.' },
    )
    .meta({ description: 'The button that opens the list, and its sections: up to 10, with up to 10 rows in all' }),
  ...interactiveFrame,
  ...sendOptions,
};

export const textBody = z.object({ ...textFields, image: file.optional().meta({ description: 'A file to send (multipart/form-data)' }) });
export const textQuery = z.object(textFields);
export const listBody = z.object(listFields);
export type TextInput = z.output<typeof textBody>;
export type ListInput = z.output<typeof listBody>;

const sendErrors = ['validation_failed', 'window_closed', 'number_missing', 'plan_limit_reached', 'provider_rejected'] as const;
export const sendRoutes = {
  sendText: route({
    ...sendAccess,
    method: 'POST',
    path: '/api/v1/messages/text',
    summary: 'Send a text, media, quick replies or a call to action',
    accepts: ['json', 'multipart'],
    body: textBody,
    errors: sendErrors,
  }),
  sendTextByGet: route({
    ...sendAccess,
    method: 'GET',
    path: '/api/v1/messages/text',
    summary: 'Send a text message (deprecated GET form)',
    query: textQuery,
    errors: sendErrors,
    deprecated: { successor: '/api/v1/messages/text' },
  }),
  sendList: route({
    ...sendAccess,
    method: 'POST',
    path: '/api/v1/messages/list',
    summary: 'Send a list to choose from',
    body: listBody,
    errors: sendErrors,
  }),
  sendListByGet: route({
    ...sendAccess,
    method: 'GET',
    path: '/api/v1/messages/list',
    summary: 'Send a list (deprecated GET form)',
    query: listBody,
    errors: sendErrors,
    deprecated: { successor: '/api/v1/messages/list' },
  }),
};
