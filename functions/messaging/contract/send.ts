import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { file } from '../../../shared/contract/file.ts';
import { route } from '../../../shared/contract/route.ts';
import { timezone } from '../../account/contract.ts';

// ---- fields (limits: decision A23, as the provider has them) -------------------------------------------------------------------------

const phone = text(40, 1).meta({ description: 'With country code', example: '+4915112345678' });

/** What every send takes: when, and who judges a closed window. */
const manner = {
  scheduled_at: text(40, 1)
    .optional()
    .meta({ description: 'ISO 8601, up to 365 days ahead; without an offset in `timezone`', example: '2026-12-24T18:00:00' }),
  timezone: timezone.optional().meta({ description: "IANA time zone of scheduled_at; the company's unless given" }),
  window_policy: z
    .enum(['provider', 'enforce'], { error: 'Must be provider or enforce.' })
    .optional()
    .meta({ description: 'enforce: refuse outside the customer service window. The company setting unless given.' }),
};

/** The provider fetches links itself, http and https (provider reference §1.3); ours alone are the rules of where they may lead. */
const link = text(2_000, 1).refine((value) => /^https?:\/\/\S+$/i.test(value) && URL.canParse(value), {
  error: 'Must be an http or https address.',
});
const httpsLink = link.refine((value) => /^https:/i.test(value), { error: 'Must be an https address.' });

const label = (most: number) => text(most, 1);
const idText = (most: number) =>
  z
    .union([z.number().transform(String), z.string()], { error: 'Must be a text.' })
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
  ...manner,
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
  ...manner,
};

const parameterText = z.union([z.string(), z.number(), z.boolean()], { error: 'Must be a text.' }).transform(String).pipe(text(4_096));

export const templateParameter = z.looseObject({ type: text(30, 1) }, { error: 'Must be an object with a type.' });
export const templateComponentInput = z.looseObject(
  {
    type: text(40, 1),
    sub_type: text(40).optional(),
    index: z.union([z.number(), z.string()], { error: 'Must be a whole number.' }).optional(),
    parameters: z.array(templateParameter, { error: 'Must be a list of parameters.' }).nullish(),
  },
  { error: 'Must be an object with type and parameters.' },
);

const templateFields = {
  phone,
  template_name: text(512, 1),
  template_language: text(20, 1).optional().meta({ description: 'en unless given' }),
  language: text(20, 1).optional().meta({ description: 'Deprecated: template_language', deprecated: true }),
  components: z
    .array(templateComponentInput, { error: 'Must be a list of components.' })
    .max(20, { error: 'Must have at most 20 components.' })
    .nullish()
    .meta({ description: "The provider's components, as `[{type, parameters}]`; the legacy fields are ignored beside it" }),
  variables: z
    .union([z.array(parameterText), z.record(z.string(), parameterText)], { error: 'Must be a list of texts or an object.' })
    .nullish()
    .meta({ description: 'Deprecated: values of the placeholders of the body, by order, number or name', deprecated: true }),
  header_variables: z
    .union([z.array(parameterText), z.record(z.string(), parameterText)], { error: 'Must be a list of texts or an object.' })
    .nullish()
    .meta({ description: 'Deprecated: values of the placeholders of the header', deprecated: true }),
  document: link.optional().meta({ description: 'Address of the document of the header' }),
  image: link.optional().meta({ description: 'Address of the image of the header' }),
  video: link.optional().meta({ description: 'Address of the video of the header' }),
  audio: link.optional().meta({ description: 'Accepted for old clients; no template header is audio' }),
  ...manner,
};

export const textBody = z.object({ ...textFields, image: file.optional().meta({ description: 'A file to send (multipart/form-data)' }) });
export const textQuery = z.object(textFields);
export const listBody = z.object(listFields);
export const templateBody = z.object(templateFields);
export type TextInput = z.output<typeof textBody>;
export type ListInput = z.output<typeof listBody>;
export type TemplateInput = z.output<typeof templateBody>;

// ---- answers -------------------------------------------------------------------------------------------------------------------------

const window = z.object({ open: z.boolean(), expires_at: timestamp.nullable() });

/** What a send answers (1§2, A25): 200 when the provider accepted or the message waits, 202 when its fate is unknown for now. */
export const sendResult = z.object({
  message_id: z.int(),
  message_wamid: z.string().nullable(),
  status: z.int().min(0).max(6),
  contact_id: z.int(),
  conversation_id: z.int(),
  window,
  scheduled_at: timestamp.nullable(),
  ambiguous: z.boolean(),
  warnings: z.array(z.string()),
});

// ---- routes --------------------------------------------------------------------------------------------------------------------------

const sending = {
  caller: { kind: 'token', scope: 'messages:send', role: 'member' },
  limit: 'sends',
  effect: 'write',
  answers: { 200: success(sendResult), 202: success(sendResult) },
} as const;

const sendErrors = ['validation_failed', 'window_closed', 'number_missing', 'plan_limit_reached', 'provider_rejected'] as const;
const templateErrors = [
  'validation_failed',
  'template_not_found',
  'template_not_approved',
  'recipient_opted_out',
  'number_missing',
  'plan_limit_reached',
  'provider_rejected',
] as const;

export const sendRoutes = {
  sendText: route({
    ...sending,
    method: 'POST',
    path: '/api/v1/messages/text',
    summary: 'Send a text, media, quick replies or a call to action',
    accepts: ['json', 'multipart'],
    body: textBody,
    errors: sendErrors,
  }),
  sendTextByGet: route({
    ...sending,
    method: 'GET',
    path: '/api/v1/messages/text',
    summary: 'Send a text message (deprecated GET form)',
    query: textQuery,
    errors: sendErrors,
    deprecated: { successor: '/api/v1/messages/text' },
  }),
  sendList: route({
    ...sending,
    method: 'POST',
    path: '/api/v1/messages/list',
    summary: 'Send a list to choose from',
    body: listBody,
    errors: sendErrors,
  }),
  sendListByGet: route({
    ...sending,
    method: 'GET',
    path: '/api/v1/messages/list',
    summary: 'Send a list (deprecated GET form)',
    query: listBody,
    errors: sendErrors,
    deprecated: { successor: '/api/v1/messages/list' },
  }),
};

export const templateSendRoutes = {
  sendTemplate: route({
    ...sending,
    method: 'POST',
    path: '/api/v1/messages/template',
    summary: 'Send an approved template',
    body: templateBody,
    errors: templateErrors,
  }),
  sendTemplateByGet: route({
    ...sending,
    method: 'GET',
    path: '/api/v1/messages/template',
    summary: 'Send an approved template (deprecated GET form)',
    query: templateBody,
    errors: templateErrors,
    deprecated: { successor: '/api/v1/messages/template' },
  }),
  cancelMessage: route({
    method: 'DELETE',
    path: '/api/v1/messages/{id}',
    summary: 'Cancel a message that is still scheduled',
    caller: sending.caller,
    limit: 'write',
    effect: 'write',
    params: z.object({ id: pathId }),
    answers: { 200: success(z.object({ id: z.int(), deleted: z.literal(true) })) },
    errors: ['not_found', 'message_not_scheduled'],
  }),
};
