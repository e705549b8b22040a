import * as z from 'zod';
import { deleted, paginated, success } from '../../../shared/contract/envelope.ts';
import { id, looseBoolean, paging, pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { file } from '../../../shared/contract/file.ts';
import { route } from '../../../shared/contract/route.ts';
import { timezone } from '../../account/contract.ts';
import { fieldNames, parameters } from './parameters.ts';
import { audienceTypes, campaignStatuses, campaignTypes, exclusionReasons, parameterMap, pauseReasons } from './stored.ts';

// ---- what is given -----------------------------------------------------------------------------------------------------------------

const audience = {
  audience_type: z
    .enum(audienceTypes, { error: 'Must be all, group or contact.' })
    .optional()
    .meta({ description: 'Told by group_id or contact_id, otherwise all' }),
  group_id: id.nullish().meta({ description: 'With audience_type group' }),
  contact_id: id.nullish().meta({ description: 'With audience_type contact' }),
};

const link = text(2_000, 1).refine((value) => /^https?:\/\/\S+$/i.test(value) && URL.canParse(value), {
  error: 'Must be an https address.',
});

const contents = {
  paramvalues: parameters('Values of placeholders: by part, `{"body":{"1":"Ana"}}`, flat, or as a list; JSON text too').optional(),
  parammatch: fieldNames('Contact fields for placeholders, in the forms of paramvalues: `{"1":"name","2":"custom.city"}`').optional(),
  media_url: link.optional().meta({ description: 'Address of the file of the template header' }),
};

export const campaignBody = z.object({
  name: text(255, 1),
  template_id: id,
  ...audience,
  send_now: looseBoolean.optional().meta({ override: { type: 'boolean', default: true } }),
  send_time: text(40).nullish().meta({ description: 'ISO 8601, with send_now false; up to 365 days ahead' }),
  timezone: timezone.optional().meta({ description: "IANA time zone of send_time without an offset; the company's unless given" }),
  ...contents,
  prevent_template_duplicates: looseBoolean
    .optional()
    .meta({ override: { type: 'boolean', description: 'Leaves out contacts that a campaign of this template has already' } }),
  type: z.enum(campaignTypes, { error: 'Must be bot, api or regular.' }).optional(),
  pdf: file.optional().meta({ description: 'The document of the template header (multipart/form-data)' }),
  imageupload: file.optional().meta({ description: 'The image or video of the template header (multipart/form-data)' }),
});
export type CampaignInput = z.output<typeof campaignBody>;

export const previewBody = z.object({
  ...audience,
  template_id: id.optional(),
  ...contents,
  prevent_template_duplicates: looseBoolean.optional().meta({ override: { type: 'boolean' } }),
});
export type PreviewInput = z.output<typeof previewBody>;

// ---- what is shown -----------------------------------------------------------------------------------------------------------------

/** Decision A37. */
export const campaignRecord = z
  .object({
    id: z.int(),
    name: z.string(),
    type: z.enum(campaignTypes),
    status: z.enum(campaignStatuses),
    is_active: z.boolean(),
    template_id: z.int(),
    template: z.object({ id: z.int(), name: z.string(), language: z.string(), category: z.string() }),
    audience_type: z.enum(audienceTypes),
    group_id: z.int().nullable(),
    contact_id: z.int().nullable(),
    audience_count: z.int(),
    excluded_count: z.int(),
    send_now: z.boolean(),
    send_time: timestamp.nullable(),
    timezone: z.string(),
    prevent_template_duplicates: z.boolean(),
    paramvalues: parameterMap,
    parammatch: parameterMap,
    media_url: z.string().nullable(),
    pause_reason: z.enum(pauseReasons).nullable(),
    failure_reason: z.string().nullable(),
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Campaign' });
export type CampaignRecord = z.output<typeof campaignRecord>;

const createdCampaign = campaignRecord.extend({ queue_state: z.enum(['queued']) });

/** Decision A41. */
export const campaignDetails = campaignRecord.extend({
  excluded: z.partialRecord(z.enum(exclusionReasons), z.int()).meta({ description: 'Who was left out when the recipients were chosen' }),
  statistics: z
    .object({
      total: z.int(),
      scheduled: z.int(),
      processing: z.int(),
      sent: z.int(),
      delivered: z.int(),
      read: z.int(),
      failed: z.int(),
      ambiguous: z.int(),
      skipped: z.int(),
    })
    .meta({ description: 'By present state; their sum is total' }),
  funnel: z.object({ accepted: z.int(), delivered: z.int(), read: z.int(), replied: z.int(), opted_out: z.int() }),
  rates: z
    .object({ delivery: z.number(), read: z.number(), failure: z.number() })
    .meta({ description: 'Delivered and read of what was accepted, failed of all; 0 to 1' }),
  failures: z.array(
    z.object({ code: z.union([z.int(), z.string()]), title: z.string(), count: z.int(), retryable: z.boolean(), fix: z.string() }),
  ),
  eta: timestamp.nullable().meta({ description: 'When the last message goes out at the pace of the number' }),
});

const exclusions = z.object(
  Object.fromEntries(exclusionReasons.map((reason) => [reason, z.int()])) as Record<(typeof exclusionReasons)[number], z.ZodInt>,
);

/** Decision A40. */
export const audiencePreview = z.object({
  audience_type: z.enum(audienceTypes),
  eligible_contacts: z.int(),
  total: z.int(),
  excluded: exclusions,
  eta_seconds: z.int(),
});

// ---- routes ------------------------------------------------------------------------------------------------------------------------

const reader = { kind: 'token', scope: 'campaigns:read', role: 'viewer' } as const;
const writer = { kind: 'token', scope: 'campaigns:write', role: 'member' } as const;
const params = z.object({ id: pathId });
const base = '/api/v1/campaigns';

export const campaignRoutes = {
  listCampaigns: route({
    method: 'GET',
    path: base,
    summary: 'Campaigns, newest first',
    caller: reader,
    limit: 'read',
    effect: 'read',
    query: paging(20, 100, {
      search: text(255).optional().meta({ description: 'A part of the name' }),
      type: z.enum(campaignTypes, { error: 'Must be bot, api or regular.' }).optional(),
    }),
    answers: { 200: paginated(campaignRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createCampaign: route({
    method: 'POST',
    path: base,
    summary: 'Create a campaign; recipients are chosen and sent to in the background',
    caller: writer,
    limit: 'bulk',
    effect: 'write',
    accepts: ['json', 'multipart'],
    body: campaignBody,
    answers: { 200: success(createdCampaign) },
    errors: ['validation_failed', 'number_missing', 'idempotency_key_reused'],
  }),
  previewAudience: route({
    method: 'POST',
    path: `${base}/audience-preview`,
    summary: 'How many contacts a campaign would reach, and why others are left out; sends nothing',
    caller: reader,
    limit: 'bulk',
    effect: 'write',
    body: previewBody,
    answers: { 200: success(audiencePreview) },
    errors: ['validation_failed'],
  }),
  getCampaign: route({
    method: 'GET',
    path: `${base}/{id}`,
    summary: 'A campaign with its statistics',
    caller: reader,
    limit: 'read',
    effect: 'read',
    params,
    answers: { 200: success(campaignDetails) },
    errors: ['not_found'],
  }),
  updateCampaign: route({
    method: 'PUT',
    path: `${base}/{id}`,
    summary: 'Pause or resume a campaign',
    caller: writer,
    limit: 'write',
    effect: 'write',
    params,
    body: z.object({
      is_active: looseBoolean.meta({ override: { type: 'boolean', description: 'false pauses, true resumes' } }),
      confirm_stale: looseBoolean
        .optional()
        .meta({ override: { type: 'boolean', description: 'Resume although send_time is more than 24 hours ago' } }),
    }),
    answers: { 200: success(campaignDetails) },
    errors: ['validation_failed', 'not_found', 'campaign_not_pausable', 'campaign_stale', 'template_not_approved', 'conflict'],
  }),
  deleteCampaign: route({
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Delete a campaign; what is unsent is cancelled',
    caller: writer,
    limit: 'write',
    effect: 'write',
    params,
    answers: { 200: deleted },
    errors: ['not_found', 'conflict'],
  }),
};
