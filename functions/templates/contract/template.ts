import * as z from 'zod';
import { deleted, paginated, success } from '../../../shared/contract/envelope.ts';
import { besideFields, id, withSafeNumbers, safeNumber, paging, pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { currencyCode } from '../../spend/contract/card.ts';
import { money } from '../../spend/contract/money.ts';
import { decimalAmount, decimalReason } from '../domain/bid.ts';
import { upcomingCategory } from './event.ts';
import { libraryBodyInputs, libraryButtonInputs } from './library.ts';

const button = z
  .looseObject({
    type: z.string().meta({ description: 'QUICK_REPLY, URL, PHONE_NUMBER, COPY_CODE, OTP, CATALOG, FLOW ...' }),
    text: z.string().optional().meta({ description: 'The label.' }),
    url: z.string().optional().meta({ description: 'Of a URL button: where it leads.' }),
    phone_number: z.string().optional().meta({ description: 'Of a PHONE_NUMBER button: the number to call.' }),
    otp_type: z.string().optional().meta({ description: 'Of an OTP button: COPY_CODE, ONE_TAP or ZERO_TAP.' }),
  })
  .meta({ id: 'StoredTemplateButton' });

const componentParts = {
  type: z.string().meta({ description: 'HEADER, BODY, FOOTER, BUTTONS, CAROUSEL or LIMITED_TIME_OFFER.' }),
  format: z.string().optional().meta({ description: 'Of a HEADER: TEXT, IMAGE, VIDEO, DOCUMENT or LOCATION.' }),
  text: z.string().optional().meta({ description: 'The text, with its placeholders.' }),
  example: z.looseObject({}).optional().meta({ description: "Examples of the placeholders or of the file, in the provider's form." }),
  buttons: z.array(button).optional().meta({ description: 'Of BUTTONS.' }),
};

/** A component as the provider has it, which adds kinds and fields without notice. */
const storedComponent = z
  .looseObject({
    ...componentParts,
    cards: z
      .array(z.looseObject({ components: z.array(z.looseObject(componentParts)).meta({ description: 'The components of the card.' }) }))
      .optional()
      .meta({ description: 'Of a CAROUSEL.' }),
    add_security_recommendation: z.boolean().optional().meta({ description: 'Of the BODY of an authentication template.' }),
    code_expiration_minutes: z.number().optional().meta({ description: 'Of the FOOTER of an authentication template.' }),
  })
  .meta({ id: 'TemplateComponent' });

/** A template as the API shows it. */
export const templateRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the template.' }),
    name: z.string().meta({ description: 'The name, unique within a language and business account.' }),
    language: z.string().meta({ description: 'The language, as `en_US`.' }),
    status: z
      .string()
      .meta({ description: 'The provider status: PENDING, APPROVED, REJECTED, PAUSED, DISABLED ... Only APPROVED templates can be sent.' }),
    category: z.string().meta({ description: 'MARKETING, UTILITY or AUTHENTICATION.' }),
    components: z.array(storedComponent).meta({ description: "The components in the provider's form." }),
    parameter_format: z.enum(['positional', 'named']).meta({ description: '`positional`: {{1}}. `named`: {{first_name}}.' }),
    waba_id: z
      .string()
      .nullable()
      .meta({ description: 'The business account (WABA) at the provider that it belongs to; null for older ones.' }),
    provider_template_id: z.string().nullable().meta({ description: "The provider's id; null until the provider confirmed the template." }),
    rejected_reason: z.string().nullable().meta({ description: 'Why the provider rejected the template; null otherwise.' }),
    rejection_info: z
      .object({
        reason: z.string().nullable().meta({ description: 'The reason in words.' }),
        recommendation: z.string().nullable().meta({ description: 'What to change.' }),
      })
      .nullable()
      .meta({ description: 'Details of a rejection; null otherwise.' }),
    quality_score: z.string().nullable().meta({ description: 'GREEN, YELLOW, RED or UNKNOWN; null until the provider rated it.' }),
    upcoming_category: upcomingCategory,
    disable_date: timestamp.nullable().meta({ description: 'When the provider will disable it for its quality; null otherwise.' }),
    edits_left: z
      .object({
        today: z.int().meta({ description: 'How often its components can be changed within 24 hours: 0 or 1.' }),
        in_30_days: z.int().meta({ description: 'How often within 30 days, of 10.' }),
      })
      .nullable()
      .meta({ description: 'How often the components of an APPROVED template can be changed yet; null in any other status.' }),
    message_send_ttl_seconds: z
      .int()
      .nullable()
      .meta({ description: 'How many seconds the provider tries to deliver a message; null: its default. -1: 30 days.' }),
    max_price: money.nullable().meta({
      description:
        'The most that a delivered message costs, which it was created with; null: list prices hold. It is sent by the marketing messages API of the provider, to phones alone.',
    }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Template' });
export type TemplateRecord = z.output<typeof templateRecord>;

const shortText = text(64, 1);
/** A word of the provider in any case; the reference shows the one that its pages have. */
const word = (...of: readonly string[]) => text(64, 1).meta({ override: { type: 'string', enum: [...of] } });
const componentType = word('HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER');
const headerFormat = word('TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION');
/** Examples of placeholders, instead of the provider's `example`: values in order, or by name. */
const exampleValues = z.union([z.array(text(2_000, 1)), z.record(z.string(), text(2_000, 1))], {
  error: 'Must be a list of texts, or an object of texts by name.',
});

const buttonInput = z
  .looseObject({
    type: shortText.meta({ description: 'QUICK_REPLY, URL, PHONE_NUMBER, COPY_CODE, OTP, CATALOG, MPM, REQUEST_CONTACT_INFO ...' }),
    text: text(2_000).optional().meta({ description: 'The label, up to 25 characters.' }),
    url: text(4_000).optional().meta({ description: 'Of a URL button: where it leads. It may end in one variable.' }),
    phone_number: z
      .union([z.string(), safeNumber], { error: 'Must be a text.' })
      .transform(String)
      .optional()
      .meta({ description: 'Of a PHONE_NUMBER button: the number to call.' }),
    example: z
      .union([text(2_000), z.array(text(2_000))], { error: 'Must be a text or a list of texts.' })
      .optional()
      .meta({ description: 'An example of the variable of a URL, or of a coupon code.' }),
    examples: exampleValues.optional().meta({ description: 'The same as `example`, as a list or by name.' }),
    otp_type: word('COPY_CODE', 'ONE_TAP', 'ZERO_TAP').optional().meta({ description: 'Of an OTP button.' }),
    autofill_text: text(2_000).optional().meta({ description: 'Of a one-tap button: its label.' }),
    zero_tap_terms_accepted: z
      .boolean({ error: 'Must be true or false.' })
      .optional()
      .meta({ description: 'Of a zero-tap button: must be true.' }),
    package_name: text(2_000).optional().meta({ description: 'Old form of one supported app; needs `signature_hash`.' }),
    signature_hash: text(2_000).optional().meta({ description: 'Old form of one supported app; needs `package_name`.' }),
    supported_apps: z
      .array(
        z.looseObject({
          package_name: text(2_000, 1).meta({ description: 'The package name of the Android app.' }),
          signature_hash: text(2_000, 1).meta({ description: 'The signing key hash of the app, 11 characters.' }),
        }),
      )
      .optional()
      .meta({ description: 'Of a one-tap or zero-tap button: the Android apps that may read the code.' }),
  })
  .meta({ id: 'TemplateButton' });

const cardComponentInput = z.looseObject({
  type: componentType.meta({ description: 'What the component is.' }),
  format: headerFormat.optional().meta({ description: 'Of a HEADER.' }),
  text: text(10_000).optional().meta({ description: 'The text, with variables as {{1}} or {{name}}.' }),
  example: z.looseObject({}).optional().meta({ description: "Examples of the variables or of the file, in the provider's form." }),
  examples: exampleValues.optional().meta({ description: 'Examples of the variables of this component, as a list or by name.' }),
  media_id: text(40, 1).optional().meta({
    description:
      'Of an IMAGE, VIDEO or DOCUMENT header: a file that was uploaded with createUpload, as its sample. In place of `example.header_handle`.',
  }),
  buttons: z.array(buttonInput).optional().meta({ description: 'Of BUTTONS: 1 to 10 buttons.' }),
});

const componentInput = cardComponentInput.extend({
  cards: z
    .array(z.looseObject({ components: z.array(cardComponentInput).meta({ description: 'The components of the card.' }) }))
    .optional()
    .meta({ description: 'Of a CAROUSEL: 2 to 10 cards of the same form, each with an IMAGE or VIDEO header.' }),
  limited_time_offer: z
    .looseObject({
      text: text(100).meta({ description: 'What is offered, up to 16 characters.' }),
      has_expiration: z
        .boolean({ error: 'Must be true or false.' })
        .optional()
        .meta({ description: 'Whether the message shows until when: then a COPY_CODE button is the first.' }),
    })
    .optional()
    .meta({ description: 'Of a LIMITED_TIME_OFFER: the offer.' }),
  add_security_recommendation: z
    .boolean({ error: 'Must be true or false.' })
    .optional()
    .meta({ description: 'Of the BODY of an authentication template: adds a security notice.' }),
  code_expiration_minutes: safeNumber
    .optional()
    .meta({ description: 'Of the FOOTER of an authentication template: minutes until the code expires, 1 to 90.' }),
});

const maxPrice = z
  .object({
    amount: text(20)
      .regex(decimalAmount, { error: decimalReason })
      .meta({ description: 'Of one delivered message: above 0, with at most 5 decimals, in a currency without cents 3.', example: '0.05' }),
    currency: currencyCode.meta({ description: 'The currency in which the provider charges the business account.' }),
  })
  .meta({ id: 'MaxPrice' });

/** A template in the provider's own form, types in any case. The provider's rules are checked in domain/rules.ts. */
const templateFields = z.object({
  name: text(600, 1).meta({ description: 'The name: lower-case letters, digits and underscores.', example: 'order_update' }),
  number_id: id
    .optional()
    .meta({ description: 'A number of the business account to create it in. Default: the default number of the company.' }),
  language: text(20, 1).default('en').meta({ description: 'The language, `en` by default.', example: 'en_US' }),
  category: word('MARKETING', 'UTILITY', 'AUTHENTICATION').meta({ description: 'What the template is for.', example: 'UTILITY' }),
  parameter_format: word('positional', 'named')
    .optional()
    .meta({ description: 'How variables are named; by the placeholders by default.' }),
  components: withSafeNumbers(z.array(componentInput).min(1, { error: 'At least a BODY is needed.' }))
    .optional()
    .meta({ description: "HEADER, BODY, FOOTER and BUTTONS in the provider's form. A BODY is required. They or library_template_name." }),
  examples: z
    .union([exampleValues, withSafeNumbers(z.looseObject({}))])
    .optional()
    .meta({
      description:
        'Examples of the placeholders: of the body, or `{header, body}` with those of each. The provider requires one for each placeholder.',
    }),
  message_send_ttl_seconds: z
    .int({ error: 'Must be a whole number.' })
    .optional()
    .meta({ description: 'How many seconds the provider tries to deliver a message; its default by default. -1: 30 days.' }),
  max_price: maxPrice.optional().meta({
    description:
      'Of a MARKETING template: the most that a delivered message may cost. The provider charges that or less, and decides by it whom it reaches. It cannot be added later.',
  }),
  library_template_name: text(512, 1)
    .optional()
    .meta({ description: 'A template of the library, of listTemplateLibrary, in place of components. It is APPROVED at once.' }),
  library_template_button_inputs: libraryButtonInputs.optional().meta({
    description: 'With library_template_name: where its URL buttons lead and which numbers are called, in the order of its buttons.',
  }),
  library_template_body_inputs: libraryBodyInputs
    .optional()
    .meta({ description: 'With library_template_name: what is added to its text, where it has such a part.' }),
});
export const templateBody = templateFields.superRefine((body, context) => {
  const { components, library_template_name: library } = body;
  const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', message, path: [field] });
  if (components === undefined && library === undefined) refuse('components', 'Required, unless library_template_name is given.');
  if (library === undefined) {
    for (const field of ['library_template_button_inputs', 'library_template_body_inputs'] as const)
      if (body[field] !== undefined) refuse(field, 'Only with library_template_name.');
    return;
  }
  for (const field of ['components', 'examples', 'parameter_format'] as const)
    if (body[field] !== undefined) refuse(field, 'Not together with library_template_name.');
}, besideFields);
export type TemplateBody = z.output<typeof templateBody>;

const editBody = templateFields
  .pick({ components: true, category: true, examples: true, message_send_ttl_seconds: true, max_price: true })
  .partial();
export type TemplateEdit = z.output<typeof editBody>;

/** 202: the counts so far; the rest of a large account is synced in the background. */
const syncCounts = z
  .object({
    synced_count: z.int().meta({ description: 'Templates that the provider has.' }),
    created_count: z.int().meta({ description: 'Templates that were new here.' }),
    updated_count: z.int().meta({ description: 'Templates that changed here.' }),
    removed_count: z.int().meta({ description: 'Templates that the provider no longer has.' }),
  })
  .meta({ id: 'TemplateSync', description: 'The result of a sync.' });

const params = z.object({ id: pathId });
const readAccess = { caller: { kind: 'token', scope: 'templates:read', role: 'viewer' }, limit: 'read', effect: 'read' } as const;
const writeAccess = { caller: { kind: 'token', scope: 'templates:write', role: 'member' }, limit: 'write', effect: 'write' } as const;

export const templateRoutes = {
  listTemplates: route({
    ...readAccess,
    method: 'GET',
    path: '/api/v1/templates',
    summary: 'List templates',
    description:
      'Lists the stored templates by name and language: approved ones, unless `status` is given. Call syncTemplates to read changes from the provider at once.',
    query: paging(100, 100, {
      name: text(512, 1).optional().meta({ description: 'Only templates of exactly this name.' }),
      status: text(64, 1).optional().meta({ description: 'One status, or `all`. APPROVED by default.', example: 'all' }),
    }),
    answers: { 200: paginated(templateRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createTemplate: route({
    ...writeAccess,
    method: 'POST',
    path: '/api/v1/templates',
    summary: 'Create a template',
    description:
      'Creates a message template and submits it to the provider for approval. It can be sent once its status is APPROVED; the event `template.status` tells when. ' +
      'Rules of the provider are checked first, so that each error names its field. At most 100 templates an hour.',
    body: templateBody.meta({ id: 'CreateTemplateRequest' }),
    answers: { 200: success(templateRecord) },
    refuses: ['template', 'media'],
    errors: ['validation_failed', 'template_exists', 'provider_rejected', 'number_missing', 'temporarily_unavailable'],
  }),
  getTemplate: route({
    ...readAccess,
    method: 'GET',
    path: '/api/v1/templates/{id}',
    summary: 'Get a template',
    description: 'Returns a template with its components and status.',
    params,
    answers: { 200: success(templateRecord) },
    errors: ['not_found'],
  }),
  updateTemplate: route({
    ...writeAccess,
    method: 'PUT',
    path: '/api/v1/templates/{id}',
    summary: 'Change a template',
    description:
      'Changes a template that is APPROVED, REJECTED or PAUSED, and submits it again. `components` replace all components; name, language and form of the parameters never change, and the category of an APPROVED template neither. ' +
      'The components of an APPROVED template can be changed once a day and 10 times in 30 days: `edits_left`. `max_price` can be changed where the template was created with one, and by itself is not reviewed again. Refused while a running or scheduled campaign uses it.',
    params,
    body: editBody.meta({ id: 'UpdateTemplateRequest', minProperties: 1 }),
    answers: { 200: success(templateRecord) },
    refuses: ['template', 'media'],
    errors: [
      'validation_failed',
      'not_found',
      'template_not_editable',
      'template_in_use',
      'provider_rejected',
      'number_missing',
      'temporarily_unavailable',
    ],
  }),
  unpauseTemplate: route({
    ...writeAccess,
    method: 'POST',
    path: '/api/v1/templates/{id}/unpause',
    summary: 'End the pause of a template',
    description:
      'Lets a template be sent again that the provider paused for its quality. What is APPROVED already stays as it is. Change its text first: a third pause disables it.',
    params,
    answers: { 200: success(templateRecord) },
    errors: ['not_found', 'template_not_paused', 'provider_rejected', 'number_missing', 'temporarily_unavailable'],
  }),
  syncTemplates: route({
    ...writeAccess,
    method: 'POST',
    path: '/api/v1/templates/sync',
    summary: 'Sync all templates',
    description:
      'Reads all templates of each WhatsApp business account (WABA) of the company and makes the stored ones equal; no account removes those of another. 202: the account is large, and the rest is synced in the background.',
    answers: { 200: success(syncCounts), 202: success(syncCounts) },
    errors: ['provider_rejected', 'number_missing', 'temporarily_unavailable'],
  }),
  syncTemplate: route({
    ...writeAccess,
    method: 'POST',
    path: '/api/v1/templates/{id}/sync',
    summary: 'Sync a template',
    description: 'Reads one template from the provider. When the provider no longer has it, it is deleted here too, and the answer is 404.',
    params,
    answers: { 200: success(templateRecord) },
    errors: ['not_found', 'provider_rejected', 'number_missing', 'temporarily_unavailable'],
  }),
  deleteTemplate: route({
    ...writeAccess,
    method: 'DELETE',
    path: '/api/v1/templates/{id}',
    summary: 'Delete a template',
    description:
      'Deletes a template in its language, at the provider and here. Refused while a running or scheduled campaign uses it. The provider blocks the name for 30 days.',
    params,
    answers: { 200: deleted },
    errors: ['not_found', 'template_in_use', 'provider_rejected', 'number_missing', 'temporarily_unavailable'],
  }),
};
