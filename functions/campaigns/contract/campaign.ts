import * as z from 'zod';
import { deleted, paginated, success } from '../../../shared/contract/envelope.ts';
import { paging, pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import {
  campaignStatuses,
  campaignTypes,
  exclusionReasons,
  listedStatuses,
  parameterMap,
  pauseReasons,
  templateProducts,
} from './stored.ts';
import { currencyCode } from '../../spend/contract/card.ts';
import { sendCost } from '../../spend/contract/cost.ts';
import { spendFigures } from '../../spend/contract/spend.ts';
import { money } from '../../spend/contract/money.ts';
import { ceilingNames } from '../../spend/contract/spend-account.ts';
import { audienceType, campaignBody, campaignChanges, cloneBody, previewBody } from './campaign-input.ts';

// ---- what is shown -----------------------------------------------------------------------------------------------------------------

/** Decision A37. */
export const campaignRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the campaign.' }),
    name: z.string().meta({ description: 'The name, shown to your team only.' }),
    type: z.enum(campaignTypes).meta({ description: 'How the campaign was made.' }),
    status: z.enum(campaignStatuses).meta({
      id: 'CampaignStatus',
      description:
        'Where the campaign stands: `queued`, `constructing` (recipients are chosen), `scheduled`, `sending`, `paused`, `completed`, `failed` or `deleted`.',
    }),
    is_active: z.boolean().meta({ description: 'False while the campaign is paused.' }),
    template_id: z.int().meta({ description: 'The id of the template.' }),
    number_id: z.int().nullable().meta({ description: 'The number that it is sent from; null: the default number of the company.' }),
    template: z
      .object({
        id: z.int().meta({ description: 'The id of the template.' }),
        name: z.string().meta({ description: 'The name of the template.' }),
        language: z.string().meta({ description: 'The language code of the template.' }),
        category: z.string().meta({ description: 'MARKETING, UTILITY or AUTHENTICATION.' }),
        max_price: money.nullable().meta({ description: 'Its max price when the campaign was created; null without one.' }),
      })
      .meta({ id: 'CampaignTemplate', description: 'The template that is sent.' }),
    audience_type: audienceType.meta({ description: 'Who gets it.' }),
    group_id: z.int().nullable().meta({ description: 'The group; null for other audiences.' }),
    tag_id: z.int().nullable().meta({ description: 'The tag; null for other audiences.' }),
    segment_id: z.int().nullable().meta({ description: 'The saved filter; null for other audiences.' }),
    contact_id: z.int().nullable().meta({ description: 'The contact; null for other audiences.' }),
    audience_count: z.int().meta({ description: 'Recipients; 0 until they are chosen.' }),
    excluded_count: z.int().meta({ description: 'Contacts of the audience that were left out.' }),
    send_now: z.boolean().meta({ description: 'Whether sending started at once.' }),
    send_time: timestamp.nullable().meta({ description: 'When a scheduled campaign starts; null otherwise.' }),
    timezone: z.string().meta({ description: 'The IANA time zone of the campaign.' }),
    prevent_template_duplicates: z
      .boolean()
      .meta({ description: 'Whether contacts that got a campaign with this template before are left out.' }),
    paramvalues: parameterMap.meta({ description: 'Values of the placeholders, by part of the template.' }),
    parammatch: parameterMap.meta({ description: 'Fields of the contact for the placeholders, by part of the template.' }),
    media_url: z.string().nullable().meta({ description: 'URL of the file of the template header; null without one.' }),
    offer_ends_at: timestamp.nullable().meta({ description: 'When the limited-time offer of the template ends; null without one.' }),
    products: templateProducts.nullable().meta({ description: 'The products that a multi-product button shows; null without one.' }),
    pause_reason: z.enum(pauseReasons).meta({ id: 'CampaignPauseReason' }).nullable().meta({
      description:
        'Why it is paused: by a `user`, because of the template, because the provider blocked sending, or because a spend ceiling is reached; null otherwise.',
    }),
    pause_details: z
      .object({
        ceiling: z
          .enum(ceilingNames)
          .meta({ description: 'The ceiling that is reached: of the company on the `day` or in the `month`, or of the `campaign`.' }),
        limit: z.string().meta({ description: 'The ceiling, decimal text.' }),
        currency: currencyCode.meta({ description: 'Its currency.' }),
        resets_at: timestamp.nullable().meta({ description: 'When it begins anew; null: the ceiling of a campaign does not.' }),
      })
      .nullable()
      .meta({ description: 'Of a pause with the reason `spend_limit`; null otherwise.' }),
    spend_limit: money.nullable().meta({ description: 'The most that it may spend; null: it has no ceiling of its own.' }),
    max_price_multiplier: z.number().nullable().meta({
      description: 'By what the max price of the template is multiplied; null: it is sent at that price, or the template has none.',
    }),
    failure_reason: z.string().nullable().meta({ description: 'Why the whole campaign failed; null otherwise.' }),
    started_at: timestamp.nullable().meta({ description: 'When the first message was sent; null before.' }),
    completed_at: timestamp.nullable().meta({ description: 'When every recipient had an outcome; null before.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Campaign' });
export type CampaignRecord = z.output<typeof campaignRecord>;

const createdCampaign = campaignRecord
  .extend({ queue_state: z.enum(['queued']).meta({ description: 'Always `queued`: recipients are chosen in the background.' }) })
  .meta({ id: 'CreatedCampaign', description: 'A campaign that was just created.' });

const share = (description: string) => z.number().meta({ description });

export const campaignFunnel = z
  .object({
    accepted: z.int().meta({ description: 'Messages that the provider accepted.' }),
    delivered: z.int().meta({ description: 'Messages that reached the phone.' }),
    read: z.int().meta({ description: 'Messages that were read.' }),
    replied: z.int().meta({ description: 'Recipients who replied.' }),
    opted_out: z.int().meta({ description: 'Recipients who opted out in reply.' }),
  })
  .meta({ id: 'CampaignFunnel', description: 'Cumulative: a message that was read counts as delivered and accepted too.' });

export const campaignRates = z
  .object({
    delivery: share('Delivered messages of the accepted ones.'),
    read: share('Read messages of the accepted ones.'),
    reply: share('Recipients who replied, of the accepted messages.'),
    opt_out: share('Recipients who opted out in reply, of the accepted messages.'),
    failure: share('Failed messages of all recipients.'),
  })
  .meta({ id: 'CampaignRates', description: 'From 0 to 1: shares of the accepted messages, failure of all recipients.' });

/** Decision A41. */
export const campaignDetails = campaignRecord
  .extend({
    excluded: z
      .partialRecord(z.enum(exclusionReasons), z.int())
      .meta({ description: 'Contacts left out when the recipients were chosen, counted by reason.' }),
    statistics: z
      .object({
        total: z.int().meta({ description: 'All recipients.' }),
        scheduled: z.int().meta({ description: 'Not sent yet.' }),
        processing: z.int().meta({ description: 'Sent to the provider, without an answer yet.' }),
        sent: z.int().meta({ description: 'Accepted by the provider.' }),
        delivered: z.int().meta({ description: 'Delivered to the phone.' }),
        read: z.int().meta({ description: 'Read.' }),
        failed: z.int().meta({ description: 'Failed.' }),
        ambiguous: z.int().meta({ description: 'Outcome unknown: the answer of the provider was lost. Never sent again by the system.' }),
        skipped: z.int().meta({ description: 'Left out at their turn, for example after an opt-out.' }),
      })
      .meta({ description: 'Recipients by their current state; the states add up to total.' }),
    cost: z
      .object({
        estimate: sendCost.nullable().meta({
          description: 'If each recipient gets it, by the prices in force when it started; null until the recipients are chosen.',
        }),
        actual: spendFigures.meta({
          description: 'What the messages that were delivered so far cost, at list prices. `GET /spend?by=campaign` counts tiers too.',
        }),
      })
      .meta({ id: 'CampaignCost', description: 'What the campaign costs: before, and as far as it was sent.' }),
    held_count: z.int().meta({
      description:
        'Of the sent ones: messages that the provider holds back until it knows how others take the template. It sends them later, or drops them.',
    }),
    funnel: campaignFunnel,
    rates: campaignRates,
    failures: z
      .array(
        z.object({
          code: z.union([z.int(), z.string()]).meta({ description: "The provider's error code." }),
          title: z.string().meta({ description: 'What the code means.' }),
          count: z.int().meta({ description: 'Messages that failed with it.' }),
          retryable: z.boolean().meta({ description: 'Whether a retry of the campaign sends them again.' }),
          fix: z.string().meta({ description: 'What to do about it.' }),
        }),
      )
      .meta({ description: 'Failed messages by error code.' }),
    spend_left: money.nullable().meta({ description: 'What is left of its ceiling; null without one.' }),
    eta: timestamp.nullable().meta({
      description: 'When the last message is expected to be sent, by the pace achieved so far; null when nothing is left to send.',
    }),
  })
  .meta({ id: 'CampaignDetails', description: 'A campaign with its statistics.' });

const exclusions = z.object(
  Object.fromEntries(
    exclusionReasons.map((reason) => [reason, z.int().meta({ description: `Contacts left out for the reason ${reason}.` })]),
  ) as Record<(typeof exclusionReasons)[number], z.ZodInt>,
);

const previewedContact = z.object({
  contact_id: z.int(),
  name: z.string().nullable().meta({ description: 'The name, or null.' }),
  phone: z.string().meta({ description: 'Digits with country code, no plus; empty of a contact that has none.' }),
});

/** Decision A40. */
export const audiencePreview = z
  .object({
    audience_type: audienceType.meta({ description: 'The audience that was evaluated.' }),
    eligible_contacts: z.int().meta({ description: 'Contacts that would get the campaign.' }),
    total: z.int().meta({ description: 'Contacts in the audience.' }),
    excluded: exclusions.meta({ description: 'Contacts that would be left out, by reason.' }),
    eta_seconds: z.int().meta({ description: 'How long sending takes, in seconds, by the pace of earlier campaigns of the number.' }),
    recipients: z.array(previewedContact).meta({ description: 'The first contacts that would get it, at most 20.' }),
    excluded_contacts: z.array(previewedContact).meta({
      description:
        'With `excluded_reason`: who of this part would be left out for it, the newest contact first, at most 50; empty where none of the part is. Empty without it.',
    }),
    cost: sendCost.nullable().meta({ description: 'What the counted part of the campaign costs now; null without `template_id`.' }),
    between: z
      .object({
        recipients_from: z.int().meta({ description: 'So many of the counted part get it at least.' }),
        recipients_to: z.int().meta({ description: 'So many of the counted part get it at most.' }),
        cost_from: money.meta({ description: 'What that costs at least.' }),
        cost_to: money.meta({ description: 'What that costs at most.' }),
      })
      .meta({ id: 'ExpectedReach', description: 'What the provider expects. It promises nothing.' })
      .nullable()
      .meta({
        description:
          'With a max price: what the provider expects of the counted part, by its estimates that getReach read within a day, of each country of the recipients. null: one of them is not known.',
      }),
    warnings: z
      .array(
        z
          .object({
            code: z
              .enum(['number_missing', 'number_restricted', 'sending_blocked', 'sending_limited'])
              .meta({ description: 'What it is: `sending_blocked` stops every message, `sending_limited` some.' }),
            message: z.string().meta({ description: 'What would hold the campaign up.' }),
            fix: z.string().meta({ description: 'What to do about it.' }),
          })
          .meta({ id: 'CampaignWarning' }),
      )
      .meta({
        description: 'What would hold up a campaign that starts now, as known from webhooks and the last daily check of the number.',
      }),
    is_partial: z.boolean().meta({ description: 'True: the audience is too large for one call; add the counts of the next part.' }),
    next_cursor: z.string().nullable().meta({ description: 'Send it as `cursor` for the next part; null on the last.' }),
  })
  .meta({ id: 'AudiencePreview', description: 'How many contacts a campaign would reach.' });

// ---- routes ------------------------------------------------------------------------------------------------------------------------

const reader = { kind: 'token', scope: 'campaigns:read', role: 'viewer' } as const;
const writer = { kind: 'token', scope: 'campaigns:write', role: 'member' } as const;
const params = z.object({ id: pathId });
const base = '/api/v1/campaigns';

export const campaignRoutes = {
  listCampaigns: route({
    method: 'GET',
    path: base,
    summary: 'List campaigns',
    description:
      'Newest first, those of one `status` where it is given. Search by a part of the name. Statistics are in `GET /campaigns/{id}`.',
    caller: reader,
    query: paging(20, 100, {
      search: text(255).optional().meta({ description: 'A part of the name.' }),
      type: z
        .enum(campaignTypes, { error: 'Must be bot, api or regular.' })
        .optional()
        .meta({ description: 'Only campaigns that were made this way.' }),
      status: z
        .enum(listedStatuses, { error: `Must be one of: ${listedStatuses.join(', ')}.` })
        .optional()
        .meta({ description: 'Only campaigns that stand there now.' }),
    }),
    answers: { 200: paginated(campaignRecord) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createCampaign: route({
    method: 'POST',
    path: base,
    summary: 'Create a campaign',
    description:
      'Sends an approved template to a group, a tag, a segment, all contacts or one contact, at once or at send_time. Recipients are chosen in the background; contacts who opted out, unsubscribed or have no valid phone are left out. The same Idempotency-Key creates the same campaign. Look at the audience preview first: without a group, tag, segment or contact the campaign goes to all contacts.',
    caller: writer,
    limit: 'bulk',
    accepts: ['json', 'multipart'],
    unknownFields: 'refuse',
    body: campaignBody.meta({ id: 'CreateCampaignRequest' }),
    answers: { 200: success(createdCampaign) },
    refuses: ['combination', 'time', 'template', 'media'],
    errors: ['validation_failed', 'number_missing', 'price_unknown', 'spend_limit_reached', 'idempotency_key_reused'],
  }),
  previewAudience: route({
    method: 'POST',
    path: `${base}/audience-preview`,
    summary: 'Preview the audience of a campaign',
    description:
      'How many contacts the campaign would reach now, why others would be left out, and how long sending would take; with `excluded_reason` also who is left out. Sends nothing.',
    caller: reader,
    limit: 'bulk',
    unknownFields: 'refuse',
    body: previewBody.meta({ id: 'PreviewAudienceRequest' }),
    answers: { 200: success(audiencePreview) },
    refuses: ['combination', 'template', 'media'],
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  getCampaign: route({
    method: 'GET',
    path: `${base}/{id}`,
    summary: 'Get a campaign',
    description: 'With its statistics: recipients by state, funnel, rates, failures by error code, and the expected end.',
    caller: reader,
    params,
    answers: { 200: success(campaignDetails) },
    errors: ['not_found'],
  }),
  updateCampaign: route({
    method: 'PUT',
    path: `${base}/{id}`,
    summary: 'Pause, resume or change a campaign',
    description:
      '`is_active` false stops sending within two seconds; true sends the rest, and no recipient gets it twice. More than 24 hours after send_time, resuming needs `confirm_stale`. The name can be changed at any time; send_time, audience and max_price_multiplier until the recipients are chosen, which is at send_time.',
    caller: writer,
    params,
    unknownFields: 'refuse',
    body: campaignChanges.meta({ id: 'UpdateCampaignRequest' }),
    answers: { 200: success(campaignDetails) },
    refuses: ['time', 'template', 'media'],
    errors: [
      'validation_failed',
      'not_found',
      'campaign_not_pausable',
      'campaign_not_editable',
      'campaign_stale',
      'template_not_approved',
      'spend_limit_reached',
      'conflict',
    ],
  }),
  cloneCampaign: route({
    method: 'POST',
    path: `${base}/{id}`,
    summary: 'Copy a campaign',
    description:
      'Creates a campaign with the template, values, audience and settings of another one. Say when it is sent: `send_time`, or `send_now` true. Recipients are chosen anew.',
    caller: writer,
    limit: 'bulk',
    params,
    unknownFields: 'refuse',
    body: cloneBody.meta({ id: 'CloneCampaignRequest' }),
    answers: { 200: success(createdCampaign) },
    refuses: ['combination', 'time', 'template', 'media'],
    errors: ['validation_failed', 'not_found', 'number_missing', 'price_unknown', 'spend_limit_reached', 'idempotency_key_reused'],
  }),
  deleteCampaign: route({
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Delete a campaign',
    description: 'Cancels what is not sent yet. Messages that were sent stay in their conversations.',
    caller: writer,
    params,
    answers: { 200: deleted },
    errors: ['not_found', 'conflict'],
  }),
};
