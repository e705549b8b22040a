import * as z from 'zod';
import { withSafeNumbers, safeNumber, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { idText, link, recipientFields, sendAccess, sendOptions, toRecipient } from './send-fields.ts';

const parameterText = z.union([z.string(), safeNumber, z.boolean()], { error: 'Must be a text.' }).transform(String).pipe(text(4_096));

const textField = (description: string) => ({ type: 'string' as const, description });
const objectField = (description: string, properties: Readonly<Record<string, object>>) => ({
  type: 'object' as const,
  description,
  properties,
});
const fileField = (kind: string) =>
  objectField(`Of \`${kind}\`: the file of a header.`, {
    link: textField('Its URL; or give `id`.'),
    id: textField("The provider's id of the file; or give `link`."),
    filename: textField('The name of a document, as it is shown.'),
  });

/** The fields that each type of parameter has. They are read where the stored template says which it takes (domain/compose-template.ts). */
const parameterFields = {
  type: textField(
    '`text`, `currency`, `date_time`, `image`, `video`, `document`, `location`, `coupon_code`, `payload` or another of the provider.',
  ),
  parameter_name: textField('The name of a named placeholder.'),
  text: textField('Of `text`: what the placeholder becomes; of a URL button the end of the URL.'),
  currency: objectField('Of `currency`: an amount.', {
    fallback_value: textField('The amount as text.'),
    code: textField('ISO 4217 code.'),
    amount_1000: { type: 'number' as const, description: 'The amount times 1,000.' },
  }),
  date_time: objectField('Of `date_time`.', { fallback_value: textField('The time as text.') }),
  image: fileField('image'),
  video: fileField('video'),
  document: fileField('document'),
  location: objectField('Of `location`: the place of a header.', {
    latitude: { type: ['number' as const, 'string' as const], description: 'Degrees north.' },
    longitude: { type: ['number' as const, 'string' as const], description: 'Degrees east.' },
    name: textField('The name of the place.'),
    address: textField('The address of the place.'),
  }),
  coupon_code: textField('Of `coupon_code`: what the button copies.'),
  payload: textField('Of `payload`: what the reply of a quick reply carries.'),
};

export const templateParameter = withSafeNumbers(
  z.looseObject(
    {
      type: text(30, 1).meta({
        description: '`text`, `currency`, `date_time`, `image`, `video`, `document`, `location` or `coupon_code`.',
      }),
    },
    { error: 'Must be an object with a type.' },
  ),
).meta({ id: 'TemplateParameter', override: { properties: parameterFields } });
const componentError = { error: 'Must be an object with type and parameters.' };
const cardComponentInput = z.looseObject(
  {
    type: text(40, 1).meta({ description: '`header`, `body`, `button`, `carousel` or `limited_time_offer`.' }),
    sub_type: text(40).optional().meta({ description: 'Of a button: `url`, `quick_reply` or `copy_code`.' }),
    index: z
      .union([safeNumber, z.string()], { error: 'Must be a whole number.' })
      .optional()
      .meta({ description: 'Of a button: its position in the template, from 0.' }),
    parameters: z
      .array(templateParameter, { error: 'Must be a list of parameters.' })
      .nullish()
      .meta({ description: 'One for each placeholder: `{type: "text", text}`; named ones with `parameter_name`.' }),
  },
  componentError,
);
const namedCardComponent = cardComponentInput.meta({ id: 'TemplateCardComponent' });
const cardInput = z.looseObject({
  card_index: safeNumber.optional().meta({ description: 'The position of the card in the template, from 0; by the order by default.' }),
  components: z.array(namedCardComponent).optional().meta({ description: 'The parameters of the card: `{type, parameters}`.' }),
});
export const templateComponentInput = z
  .looseObject(
    {
      ...cardComponentInput.shape,
      cards: z
        .array(cardInput, { error: 'Must be a list of cards.' })
        .max(10, { error: 'Must have at most 10 cards.' })
        .optional()
        .meta({ description: 'Of a `carousel`: what fills its cards.' }),
    },
    componentError,
  )
  .meta({ id: 'TemplateComponentInput' });

const maxComponentChars = 50_000;

const templateFields = {
  ...recipientFields,
  template_name: text(512, 1).meta({ description: 'The name of an approved template.', example: 'order_update' }),
  template_language: text(20, 1).optional().meta({ description: 'The language of the template, `en` by default.', example: 'en_US' }),
  language: text(20, 1).optional().meta({ description: 'Deprecated: use `template_language`.', deprecated: true }),
  components: z
    .array(templateComponentInput, { error: 'Must be a list of components.' })
    .max(20, { error: 'Must have at most 20 components.' })
    // they are stored with the message, in one item
    .refine((components) => JSON.stringify(components).length <= maxComponentChars, {
      error: `Must have at most ${maxComponentChars} characters as JSON.`,
    })
    .nullish()
    .meta({
      description: "The parameters in the provider's form: a list of `{type, parameters}`. The deprecated fields are ignored beside it.",
    }),
  variables: z
    .union([z.array(parameterText), z.record(z.string(), parameterText)], { error: 'Must be a list of texts or an object.' })
    .nullish()
    .meta({
      description: 'Deprecated: use `components`. Values of the placeholders of the body, by order, number or name.',
      deprecated: true,
    }),
  header_variables: z
    .union([z.array(parameterText), z.record(z.string(), parameterText)], { error: 'Must be a list of texts or an object.' })
    .nullish()
    .meta({ description: 'Deprecated: use `components`. Values of the placeholders of the header.', deprecated: true }),
  document: link.optional().meta({ description: 'The URL of the document in the header.' }),
  image: link.optional().meta({ description: 'The URL of the image in the header.' }),
  video: link.optional().meta({ description: 'The URL of the video in the header.' }),
  audio: link.optional().meta({ description: 'Deprecated: refused, because no template has an audio header.', deprecated: true }),
  media_id: idText(40)
    .optional()
    .meta({ description: 'The file of the header: the id of a file that was uploaded with createUpload, in place of a link.' }),
  ...sendOptions,
  window_policy: z
    .enum(['provider', 'enforce'])
    .optional()
    .meta({ description: 'Deprecated: a template needs no customer service window.', deprecated: true }),
};

export const sendTemplateBody = toRecipient(z.object(templateFields));
export type SendTemplateInput = z.output<typeof sendTemplateBody>;

const templateErrors = [
  'validation_failed',
  'template_not_found',
  'template_not_approved',
  'recipient_opted_out',
  'recipient_blocked',
  'number_missing',
  'plan_limit_reached',
  'provider_rejected',
  'spend_limit_reached',
  'price_unknown',
] as const;

export const templateSendRoutes = {
  sendTemplate: route({
    ...sendAccess,
    method: 'POST',
    path: '/api/v1/messages/template',
    summary: 'Send a template message',
    description:
      'Sends an approved template, which needs no open customer service window. Parameters are checked against the stored template before the provider is called. ' +
      'MARKETING templates are refused for contacts that opted out. AUTHENTICATION templates (one-time passwords, OTP) are sent with the highest priority. ' +
      'With `scheduled_at` the message is sent later and can be cancelled; the template is checked again then.',
    body: sendTemplateBody.meta({ id: 'SendTemplateRequest' }),
    refuses: ['time', 'template', 'media'],
    errors: templateErrors,
  }),
  sendTemplateByGet: route({
    ...sendAccess,
    method: 'GET',
    path: '/api/v1/messages/template',
    summary: 'Send a template message with a GET request',
    description: 'Deprecated form of sendTemplate, with the fields in the query; `components` as a JSON text. HEAD never sends.',
    query: sendTemplateBody,
    errors: templateErrors,
    deprecated: { successor: '/api/v1/messages/template' },
  }),
};
