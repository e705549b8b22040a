import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { id, paging, pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { parameters } from './parameters.ts';

/** Values of the filter (1§4), each a state of a recipient as it stands. */
export const messageFilters = ['scheduled', 'processing', 'sent', 'delivered', 'read', 'failed'] as const;
export type MessageFilter = (typeof messageFilters)[number];

/** Decision A42. `skipped`: left out when the turn came; no message was made. */
export const campaignMessage = z.object({
  id: z.int().nullable().meta({ description: 'The message id; null before the turn of the recipient has come' }),
  campaign_id: z.int(),
  contact_id: z.int(),
  phone: z.string().nullable(),
  status: z.int().min(0).max(6),
  status_name: z.enum([...messageFilters, 'skipped']),
  fb_message_id: z.string().nullable(),
  error: z
    .object({
      code: z.union([z.int(), z.string()]),
      title: z.string(),
      class: z.string(),
      retryable: z.boolean(),
      fix: z.string(),
    })
    .nullable(),
  ambiguous: z.boolean(),
  attempts: z.int(),
  scheduled_at: timestamp.nullable(),
  sent_at: timestamp.nullable(),
  delivered_at: timestamp.nullable(),
  read_at: timestamp.nullable(),
  failed_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type CampaignMessage = z.output<typeof campaignMessage>;

const retryResult = z
  .object({
    campaign_id: z.int(),
    retried: z.int(),
    skipped: z.int(),
    skipped_reasons: z.record(z.string(), z.int()).meta({ description: 'Why the others stay as they are' }),
  })
  .meta({ id: 'CampaignRetry' });

const sendBody = z
  .object({
    phone: text(40, 1).meta({ description: 'With country code', example: '+4915112345678' }),
    campaign_id: id.optional(),
    campaing_id: id.optional().meta({ description: 'Deprecated: campaign_id', deprecated: true }),
    data: parameters('Values of placeholders for this recipient, in the forms of paramvalues').optional(),
  })
  .refine(({ campaign_id, campaing_id }) => (campaign_id ?? campaing_id) !== undefined, {
    error: 'Required.',
    path: ['campaign_id'],
  });
export type SendInput = z.output<typeof sendBody>;

const sendResult = z
  .object({
    message_id: z.int(),
    message_wamid: z.null(),
    campaign_id: z.int(),
    contact_id: z.int(),
    queue_state: z.enum(['scheduled', 'held']),
  })
  .meta({ id: 'CampaignSend' });

const params = z.object({ id: pathId });

export const recipientRoutes = {
  listCampaignMessages: route({
    method: 'GET',
    path: '/api/v1/campaigns/{id}/messages',
    summary: 'Recipients of a campaign with what came of each; a filtered page may be shorter than limit while next_cursor goes on',
    caller: { kind: 'token', scope: 'campaigns:read', role: 'viewer' },
    limit: 'read',
    effect: 'read',
    params,
    query: paging(50, 100, {
      status: z.enum(messageFilters, { error: `Must be one of ${messageFilters.join(', ')}.` }).optional(),
    }),
    answers: { 200: paginated(campaignMessage) },
    errors: ['validation_failed', 'invalid_cursor', 'not_found'],
  }),
  retryCampaign: route({
    method: 'POST',
    path: '/api/v1/campaigns/{id}/retry',
    summary: 'Send failed messages again, where that can help and cannot send twice',
    caller: { kind: 'token', scope: 'campaigns:write', role: 'member' },
    limit: 'bulk',
    effect: 'write',
    params,
    answers: { 200: success(retryResult) },
    errors: ['not_found', 'template_not_approved', 'conflict'],
  }),
};

export const sendRoutes = {
  sendToContact: route({
    method: 'POST',
    path: '/api/v1/campaigns/send',
    summary: 'Send the message of a campaign to one contact',
    caller: { kind: 'token', scope: 'campaigns:write', role: 'member' },
    limit: 'sends',
    effect: 'write',
    body: sendBody,
    answers: { 200: success(sendResult) },
    errors: ['validation_failed', 'not_found', 'recipient_opted_out', 'plan_limit_reached', 'number_missing', 'template_not_approved'],
  }),
};
