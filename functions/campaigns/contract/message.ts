import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { id, looseBoolean, paging, pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { parameters } from './parameters.ts';

/** Values of the filter, each a state of a recipient as it stands. */
export const messageFilters = ['scheduled', 'processing', 'sent', 'delivered', 'read', 'failed', 'skipped'] as const;
export type MessageFilter = (typeof messageFilters)[number];

/** Decision A42. `skipped`: left out when the turn came; no message was made. */
export const campaignMessage = z
  .object({
    id: z.int().nullable().meta({ description: 'The id of the message; null until it is sent.' }),
    campaign_id: z.int(),
    contact_id: z.int(),
    phone: z.string().nullable().meta({ description: 'The phone, digits with country code; null when the contact was deleted.' }),
    status: z
      .int()
      .min(0)
      .max(6)
      .meta({ description: 'The state as a number: 0 scheduled, 1 sending, 2 sent, 3 delivered, 4 read, 5 failed, 6 processing.' }),
    status_name: z.enum(messageFilters).meta({ description: 'The state as a word. `skipped`: left out when its turn came.' }),
    fb_message_id: z.string().nullable().meta({ description: "The provider's id of the message (wamid); null before it was accepted." }),
    error: z
      .object({
        code: z.union([z.int(), z.string()]).meta({ description: "The provider's error code." }),
        title: z.string().meta({ description: 'What the code means.' }),
        class: z.string().meta({ description: 'The kind of failure.' }),
        retryable: z.boolean().meta({ description: 'Whether a retry of the campaign sends it again.' }),
        fix: z.string().meta({ description: 'What to do about it.' }),
      })
      .nullable()
      .meta({ description: 'Why it failed; null otherwise.' }),
    ambiguous: z
      .boolean()
      .meta({ description: 'The outcome is unknown: the answer of the provider was lost. Never sent again by the system.' }),
    held: z.boolean().meta({ description: 'With status 2: the provider holds it back, and sends it later or drops it.' }),
    attempts: z.int().meta({ description: 'How often it was sent to the provider.' }),
    scheduled_at: timestamp.nullable().meta({ description: 'When its turn is, for recipients that wait.' }),
    sent_at: timestamp.nullable().meta({ description: 'When the provider accepted it; of one that it held back, when it sent it.' }),
    delivered_at: timestamp.nullable().meta({ description: 'When it was delivered.' }),
    read_at: timestamp.nullable().meta({ description: 'When it was read.' }),
    failed_at: timestamp.nullable().meta({ description: 'When it failed.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'CampaignMessage', description: 'A recipient of a campaign with the state of its message.' });
export type CampaignMessage = z.output<typeof campaignMessage>;

const retryResult = z
  .object({
    campaign_id: z.int(),
    retried: z.int().meta({ description: 'Messages that are sent again.' }),
    skipped: z.int().meta({ description: 'Failed messages of those that were named that are not sent again.' }),
    skipped_reasons: z.record(z.string(), z.int()).meta({ description: 'Messages that were left out of the retry, by reason.' }),
  })
  .meta({ id: 'CampaignRetry' });

/** Recipients or reasons that a retry may name. */
const [maxCodes, maxContacts] = [50, 1_000];

const retryBody = z.object({
  codes: z
    .array(z.union([z.int(), text(60, 1)], { error: 'Must be a code of `failures`.' }), { error: 'Must be a list of codes.' })
    .min(1, { error: 'Must have at least one code.' })
    .max(maxCodes, { error: `Must have at most ${maxCodes} codes.` })
    .optional()
    .meta({ description: 'Only messages that failed for these reasons: codes of `failures` in getCampaign.' }),
  contact_ids: z
    .array(id, { error: 'Must be a list of contact ids.' })
    .min(1, { error: 'Must have at least one id.' })
    .max(maxContacts, { error: `Must have at most ${maxContacts} ids.` })
    .optional()
    .meta({ description: 'Only the messages of these recipients.' }),
});
export type RetryInput = z.output<typeof retryBody>;

const sendBody = z
  .object({
    phone: text(40, 1)
      .optional()
      .meta({ description: 'The phone of the recipient, with country code. It or contact_id.', example: '+4915112345678' }),
    contact_id: id.optional().meta({ description: 'The recipient, in place of the phone.' }),
    campaign_id: id.optional().meta({ description: 'The campaign whose message is sent.' }),
    campaing_id: id.optional().meta({ description: 'Deprecated; use campaign_id.', deprecated: true }),
    data: parameters('Values of the placeholders for this recipient, in the forms of paramvalues.').optional(),
    is_test: looseBoolean.optional().meta({
      override: {
        type: 'boolean',
        description: 'True: a test, sent at once whatever the state of the campaign, and not counted as its recipient.',
      },
    }),
  })
  .refine(({ phone, contact_id }) => phone !== undefined || contact_id !== undefined, { error: 'Required.', path: ['phone'] })
  .refine(({ phone, contact_id }) => phone === undefined || contact_id === undefined, {
    error: 'Not together with phone.',
    path: ['contact_id'],
  })
  .refine(({ campaign_id, campaing_id }) => (campaign_id ?? campaing_id) !== undefined, {
    error: 'Required.',
    path: ['campaign_id'],
  });
export type SendInput = z.output<typeof sendBody>;

const sendResult = z
  .object({
    message_id: z.int().meta({ description: 'The id of the message.' }),
    message_wamid: z.null().meta({ description: 'Always null: the message is sent in the background.' }),
    campaign_id: z.int(),
    contact_id: z.int(),
    queue_state: z
      .enum(['scheduled', 'held'])
      .meta({ description: '`scheduled`: it is sent now. `held`: it waits because the campaign is paused.' }),
  })
  .meta({ id: 'CampaignSend' });

const params = z.object({ id: pathId });
const statusFilter = z
  .enum(messageFilters, { error: `Must be one of ${messageFilters.join(', ')}.` })
  .optional()
  .meta({ description: 'Only recipients in this state.' });

export const recipientRoutes = {
  listCampaignMessages: route({
    method: 'GET',
    path: '/api/v1/campaigns/{id}/messages',
    summary: 'List the recipients of a campaign',
    description:
      'Each recipient with the state of its message and the error, if it failed. Filter by `status`, for example `failed`, or `skipped` for those left out at their turn, with the reason in `error.code`. A filtered page can be shorter than `limit`; follow `meta.next_cursor`.',
    caller: { kind: 'token', scope: 'campaigns:read', role: 'viewer' },
    params,
    query: paging(50, 100, {
      status: statusFilter,
    }),
    answers: { 200: paginated(campaignMessage) },
    errors: ['validation_failed', 'invalid_cursor', 'not_found'],
  }),
  exportCampaignMessages: route({
    method: 'GET',
    path: '/api/v1/campaigns/{id}/messages.csv',
    summary: 'Get the results of a campaign as CSV',
    description:
      'The recipients with phone, state, times and error. Get the next lines from the URL of the header `Link` with rel="next", and append them: only the first answer has the names of the columns. No file is stored.',
    caller: { kind: 'token', scope: 'campaigns:read', role: 'viewer' },
    limit: 'bulk',
    params,
    query: z.object({
      status: statusFilter,
      limit: wholeNumber(1, 1_000).default(1_000).meta({ description: 'Lines of an answer.' }),
      cursor: text(2_000, 1).optional().meta({ description: 'Given in the header `Link` of the answer before.' }),
    }),
    answers: { 200: z.string() },
    contentTypes: ['text/csv; charset=utf-8'],
    errors: ['validation_failed', 'invalid_cursor', 'not_found'],
  }),
  retryCampaign: route({
    method: 'POST',
    path: '/api/v1/campaigns/{id}/retry',
    summary: 'Retry the failed messages of a campaign',
    description:
      'Sends failed messages again where that can help: throttling, errors of the provider, media, payment, a template that is approved again. Leaves out messages that may have arrived, recipients who opted out, and errors that would repeat. Without `codes` and `contact_ids`, all that failed.',
    caller: { kind: 'token', scope: 'campaigns:write', role: 'member' },
    limit: 'bulk',
    params,
    unknownFields: 'refuse',
    body: retryBody.meta({ id: 'RetryCampaignRequest' }),
    answers: { 200: success(retryResult) },
    errors: ['validation_failed', 'not_found', 'template_not_approved', 'spend_limit_reached', 'conflict'],
  }),
};

export const sendToContactRoutes = {
  sendToContact: route({
    method: 'POST',
    path: '/api/v1/campaigns/send',
    summary: 'Send the message of a campaign to one recipient',
    description:
      'Adds one recipient to a campaign that exists, with values of its own for the placeholders. Useful for a customer who asks for the offer afterwards, and with `is_test` to see the message on your own phone before the campaign starts.',
    caller: { kind: 'token', scope: 'campaigns:write', role: 'member' },
    limit: 'sends',
    unknownFields: 'refuse',
    sends: true,
    body: sendBody.meta({ id: 'SendToContactRequest' }),
    answers: { 200: success(sendResult) },
    refuses: ['taken', 'template', 'media'],
    errors: [
      'validation_failed',
      'not_found',
      'recipient_opted_out',
      'recipient_blocked',
      'plan_limit_reached',
      'number_missing',
      'template_not_approved',
      'spend_limit_reached',
      'price_unknown',
    ],
  }),
};
