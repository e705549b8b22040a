import * as z from 'zod';
import { deleted, paginated, success } from '../../../shared/contract/envelope.ts';
import { withSafeNumbers, safeNumber, paging, pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

/** What the API shows (1§2, A35). */
export const templateRecord = z
  .object({
    id: z.int(),
    name: z.string(),
    language: z.string(),
    status: z.string(),
    category: z.string(),
    components: z.array(z.looseObject({ type: z.string() })),
    parameter_format: z.enum(['positional', 'named']),
    provider_template_id: z.string().nullable(),
    rejected_reason: z.string().nullable(),
    rejection_info: z.object({ reason: z.string().nullable(), recommendation: z.string().nullable() }).nullable(),
    quality_score: z.string().nullable(),
    upcoming_category: z.object({ category: z.string(), at: timestamp.nullable() }).nullable(),
    message_send_ttl_seconds: z.int().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Template' });
export type TemplateRecord = z.output<typeof templateRecord>;

const shortText = text(64, 1);
/** Examples of placeholders in place of the provider's `example`: values in order, or by name. */
const exampleValues = z.union([z.array(text(2_000, 1)), z.record(z.string(), text(2_000, 1))], {
  error: 'Must be a list of texts, or an object of texts by name.',
});

const buttonInput = z.looseObject({
  type: shortText,
  text: text(2_000).optional(),
  url: text(4_000).optional(),
  phone_number: z.union([z.string(), safeNumber], { error: 'Must be a text.' }).transform(String).optional(),
  example: z.union([text(2_000), z.array(text(2_000))], { error: 'Must be a text or a list of texts.' }).optional(),
  examples: exampleValues.optional(),
  otp_type: shortText.optional(),
  autofill_text: text(2_000).optional(),
  zero_tap_terms_accepted: z.boolean({ error: 'Must be true or false.' }).optional(),
  package_name: text(2_000).optional(),
  signature_hash: text(2_000).optional(),
  supported_apps: z.array(z.looseObject({ package_name: text(2_000, 1), signature_hash: text(2_000, 1) })).optional(),
});

const cardComponentInput = z.looseObject({
  type: shortText,
  format: shortText.optional(),
  text: text(10_000).optional(),
  example: z.looseObject({}).optional(),
  examples: exampleValues.optional(),
  buttons: z.array(buttonInput).optional(),
});

const componentInput = cardComponentInput.extend({
  cards: z.array(z.looseObject({ components: z.array(cardComponentInput) })).optional(),
  add_security_recommendation: z.boolean({ error: 'Must be true or false.' }).optional(),
  code_expiration_minutes: safeNumber.optional(),
});

/** The provider's own form (A34); kind words in any case. Its rules are in domain/template-rules.ts, each with the field it is about. */
export const templateBody = z.object({
  name: text(600, 1).meta({ description: 'Lower-case letters, digits and underscores', example: 'order_update' }),
  language: text(20, 1).default('en').meta({ example: 'en_US' }),
  category: shortText.meta({ description: 'MARKETING, UTILITY or AUTHENTICATION', example: 'UTILITY' }),
  parameter_format: shortText.optional().meta({ description: 'positional or named; told by the placeholders when left out' }),
  components: withSafeNumbers(z.array(componentInput).min(1, { error: 'At least a BODY is needed.' })),
  examples: z
    .union([exampleValues, withSafeNumbers(z.looseObject({}))])
    .optional()
    .meta({ description: 'Examples of the placeholders of the body, or {header, body} with those of each' }),
  message_send_ttl_seconds: z.int({ error: 'Must be a whole number.' }).optional(),
});
export type TemplateBody = z.output<typeof templateBody>;

/** 202: so far; the rest of a large account is synced by itself. */
const syncCounts = z.object({ synced_count: z.int(), created_count: z.int(), updated_count: z.int(), removed_count: z.int() });

const params = z.object({ id: pathId });
const readAccess = { caller: { kind: 'token', scope: 'templates:read', role: 'viewer' }, limit: 'read', effect: 'read' } as const;
const writeAccess = { caller: { kind: 'token', scope: 'templates:write', role: 'member' }, limit: 'write', effect: 'write' } as const;

export const templateRoutes = {
  listTemplates: route({
    ...readAccess,
    method: 'GET',
    path: '/api/v1/templates',
    summary: 'List templates, approved ones unless told',
    query: paging(100, 100, {
      name: text(512, 1).optional().meta({ description: 'Exactly this name' }),
      status: text(64, 1).optional().meta({ description: 'all, or one status', example: 'all' }),
    }),
    answers: { 200: paginated(templateRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createTemplate: route({
    ...writeAccess,
    method: 'POST',
    path: '/api/v1/templates',
    summary: 'Create a template and submit it to the provider',
    body: templateBody,
    answers: { 200: success(templateRecord) },
    errors: ['validation_failed', 'template_exists', 'provider_rejected', 'number_missing', 'temporarily_unavailable'],
  }),
  getTemplate: route({
    ...readAccess,
    method: 'GET',
    path: '/api/v1/templates/{id}',
    summary: 'One template',
    params,
    answers: { 200: success(templateRecord) },
    errors: ['not_found'],
  }),
  syncTemplates: route({
    ...writeAccess,
    method: 'POST',
    path: '/api/v1/templates/sync',
    summary: 'Sync all templates from the business account',
    answers: { 200: success(syncCounts), 202: success(syncCounts) },
    errors: ['provider_rejected', 'number_missing', 'temporarily_unavailable'],
  }),
  syncTemplate: route({
    ...writeAccess,
    method: 'POST',
    path: '/api/v1/templates/{id}/sync',
    summary: 'Sync one template',
    params,
    answers: { 200: success(templateRecord) },
    errors: ['not_found', 'provider_rejected', 'number_missing', 'temporarily_unavailable'],
  }),
  deleteTemplate: route({
    ...writeAccess,
    method: 'DELETE',
    path: '/api/v1/templates/{id}',
    summary: 'Delete a template at the provider and here',
    params,
    answers: { 200: deleted },
    errors: ['not_found', 'template_in_use', 'provider_rejected', 'number_missing', 'temporarily_unavailable'],
  }),
};
