import * as z from 'zod';
import { projectionTarget } from '../../../shared/events/react.ts';
import { priceCap } from '../../spend/contract/price-cap.ts';
import { ceilingNames } from '../../spend/contract/spend-account.ts';
import { storedMedia } from '../../media/contract/stored.ts';

/** Campaigns as the table holds them; times are epoch milliseconds. */

/** Those of campaigns that a list shows. */
export const listedStatuses = ['queued', 'constructing', 'scheduled', 'sending', 'completed', 'paused', 'failed'] as const;
export const campaignStatuses = [...listedStatuses, 'deleted'] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];
export const campaignTypes = ['bot', 'api', 'regular'] as const;
export const audienceTypes = ['all', 'group', 'tag', 'segment', 'contact'] as const;
export const pauseReasons = [
  'user',
  'template_paused',
  'provider_blocked',
  'company_suspended',
  'number_restricted',
  'spend_limit',
] as const;
export type PauseReason = (typeof pauseReasons)[number];

/** Why a contact of the audience is no recipient (A40). */
export const exclusionReasons = [
  'invalid_phone',
  'needs_phone',
  'duplicate',
  'blocked',
  'opted_out',
  'unsubscribed',
  'marketing_blocked',
  'deleted',
  'not_on_whatsapp',
  'template_duplicate',
  'missing_parameter',
  'staff',
] as const;
export type ExclusionReason = (typeof exclusionReasons)[number];

const partValues = {
  body: z.record(z.string(), z.string()).optional().meta({ description: 'Of the body: by number or name.' }),
  header: z.record(z.string(), z.string()).optional().meta({ description: 'Of the header.' }),
  buttons: z.record(z.string(), z.string()).optional().meta({ description: 'Of the buttons, by their position from 0.' }),
};
const cardValues = z.object(partValues);
export type CardValues = z.output<typeof cardValues>;

/** Values of placeholders, or names of contact fields in their place: by part of the template (A39). */
export const parameterMap = z.object({
  ...partValues,
  cards: z.record(z.string(), cardValues).optional().meta({
    description: 'Of the cards of a carousel, by their position from 0. Their header has a `link`, or `product_id` and `catalog_id`.',
  }),
});
export type ParameterMap = z.output<typeof parameterMap>;

/** What a button of products shows. */
export const templateProducts = z.object({
  sections: z
    .array(
      z.object({
        title: z.string().meta({ description: 'The title of the section.' }),
        product_ids: z.array(z.string()).meta({ description: 'The products of the section.' }),
      }),
    )
    .meta({ description: 'The sections of the list, in their order.' }),
  thumbnail_product_id: z.string().optional().meta({ description: 'The product whose picture is shown; the first one by default.' }),
});
export type TemplateProducts = z.output<typeof templateProducts>;

export const campaignEntityName = 'campaign';

export const storedCampaign = z.object({
  companyId: z.int(),
  id: z.int(),
  rev: z.int(),
  name: z.string(),
  type: z.enum(campaignTypes),
  status: z.enum(campaignStatuses),
  /** What a paused campaign goes back to. */
  pausedFrom: z.enum(campaignStatuses).optional(),
  pauseReason: z.enum(pauseReasons).optional(),
  /** The ceiling that paused it, amounts as decimal text. */
  pauseDetails: z
    .object({ ceiling: z.enum(ceilingNames), limit: z.string(), currency: z.string(), resetsAt: z.int().optional() })
    .optional(),
  /** When a campaign that waits for the end of a restriction, or for a ceiling to begin anew, is looked at again. */
  resumeAt: z.int().optional(),
  /** The most that it may spend, micro-units. It is bound to its number then, where what is left is spent from. */
  spendLimit: z.object({ micros: z.int(), currency: z.string() }).optional(),
  /** How many it had before this one: what messages of those did not cost does not go back to it. */
  spendLimits: z.int().optional(),
  /** What of it went back, of what messages were proven not to cost. */
  spendFreed: z.int().optional(),
  /** What is left of it while its number has nothing of it: before the first and after the last send. */
  spendLeft: z.int().optional(),
  /** The token with a ceiling that it was made with: its `spendLimit` was taken from that. */
  paidByToken: z.int().optional(),
  failureReason: z.string().optional(),
  /** The number that it is sent from; absent: the company's default number. */
  numberId: z.int().optional(),
  templateId: z.int(),
  template: z.object({
    name: z.string(),
    language: z.string(),
    category: z.string(),
    /** Its max price when the campaign was created. */
    cap: priceCap.optional(),
  }),
  /** At how much of the max price of its template it is sent; absent: at that price. */
  maxPricePercent: z.int().optional(),
  audienceType: z.enum(audienceTypes),
  groupId: z.int().optional(),
  tagId: z.int().optional(),
  segmentId: z.int().optional(),
  contactId: z.int().optional(),
  sendNow: z.boolean(),
  sendTime: z.int().optional(),
  timezone: z.string(),
  preventDuplicates: z.boolean(),
  values: parameterMap,
  match: parameterMap,
  mediaUrl: z.string().optional(),
  media: storedMedia.optional(),
  /** Of a LOCATION header. */
  location: z.object({ latitude: z.number(), longitude: z.number(), name: z.string(), address: z.string() }).optional(),
  /** When the limited-time offer of the template ends. */
  offerEndsAt: z.int().optional(),
  products: templateProducts.optional(),
  /** The id below which the walk over the audience continues. */
  audienceCursor: z.int().optional(),
  /** Recipient batches, recipients in them, and contacts that were left out, by reason. */
  batchCount: z.int(),
  audience: z.int(),
  excluded: z.record(z.string(), z.int()),
  /** The recipients by the country that prices them, `-` for none: absent of campaigns that were constructed before they were counted. */
  countries: z.record(z.string(), z.int()).optional(),
  /** Rows that retries moved which came to their end. Completion waits for the counters to have seen as many. */
  retried: z.int(),
  /** Rows that the counters had seen moved when a check last started the campaign again, for a retry that was cut off. */
  retriedAtRestart: z.int().optional(),
  /** Incremented by every start, resume and retry: queue messages of an earlier run are dropped. */
  runNumber: z.int(),
  /** Chains of batches that run side by side. */
  chainCount: z.int(),
  operationId: z.string(),
  startedAt: z.int().optional(),
  /** Since when it sends, and how long it had sent before it paused: what its pace is measured by. */
  sendingSince: z.int().optional(),
  sendingMs: z.int().optional(),
  /** The send rate of its number when it started: at another rate its pace says nothing. */
  ratePerSecond: z.number().optional(),
  completedAt: z.int().optional(),
  createdAt: z.int(),
  updatedAt: z.int(),
});
export type StoredCampaign = z.output<typeof storedCampaign>;

/** The name that the table has for a recipient batch. */
export const recipientBatchEntityName = 'campaign-block';

/** Some recipients of a campaign, by contact; a recipient has no row of its own before it is claimed. */
export const storedRecipientBatch = z.object({
  companyId: z.int(),
  campaignId: z.int(),
  batch: z.int(),
  rev: z.int(),
  /** The revision of the campaign in the attempt that wrote it. */
  builtAtRev: z.int(),
  contactIds: z.array(z.int()),
  /** The second in its messages' ids, set when a worker first claims the batch. */
  secondMs: z.int().optional(),
  /** The delivery and the invocation that work on it, for which run, and until when. */
  lease: z.object({ deliveryId: z.string(), workerId: z.string().optional(), runNumber: z.int(), until: z.int() }).optional(),
  /** How many of `contacts`, from the first, have been worked; those of them that wait for the provider or for a retry. */
  processed: z.int(),
  waiting: z.array(z.int()),
  /** Recipients beyond `processed` whose turn has come, while others before them remain: their messages may be deleted before those are sent. */
  begun: z.array(z.int()).optional(),
  /** Recipients that another worker had claimed, with no result yet: they are looked at again after their claim was checked. */
  held: z.array(z.int()).optional(),
  done: z.boolean(),
  /** Recipients left out at the moment of sending: contact, reason. */
  skipped: z.array(z.tuple([z.int(), z.string()])),
  /** The result of at least one send is not known. */
  hasUnknownResult: z.literal(true).optional(),
  /** The provider has held at least one message back: its `sent` says that it no longer does. */
  hasHeldSends: z.literal(true).optional(),
  /** A single recipient of its own call (sendToContact), with the values given for it. */
  isSingleRecipient: z.literal(true).optional(),
  data: parameterMap.optional(),
});
export type StoredRecipientBatch = z.output<typeof storedRecipientBatch>;

export const campaignStatsEntityName = 'campaign-stats';

/** A projection of the change stream; it equals the rows once the queues are empty. */
export const storedStats = z.object({
  companyId: z.int(),
  campaignId: z.int(),
  /** Recipients constructed, recipients of single calls (sendToContact), and rows that the projection saw retried. */
  audience: z.int(),
  singleRecipients: z.int(),
  retried: z.int(),
  /** By present state; who has no row yet is in none of them. */
  processing: z.int(),
  sent: z.int(),
  delivered: z.int(),
  read: z.int(),
  failed: z.int(),
  ambiguous: z.int(),
  skipped: z.int(),
  /** Ever. */
  accepted: z.int(),
  everDelivered: z.int(),
  everRead: z.int(),
  replied: z.int(),
  optedOut: z.int(),
  /** Of the sent ones: those that the provider holds back. */
  held: z.int().default(0),
  /** When the first and the latest message that is counted was accepted by the provider; those of single calls aside. */
  firstSentAt: z.int().optional(),
  lastSentAt: z.int().optional(),
  /** How many recipients were worked at some moments of late, oldest first, for the pace of the last half minute. */
  paceSamples: z.array(z.object({ at: z.int(), count: z.int() })).optional(),
  /** Failures by code, with their title. */
  failures: z.record(z.string(), z.object({ count: z.int(), title: z.string() })),
  /** How its messages were charged, by day, country and type: `g1e/mr/DE` (domain/cost.ts). */
  cost: z.record(z.string(), z.int()).default({}),
  rev: z.int().default(0),
  checkpoints: z.record(z.string(), z.string()).default({}),
});
export type StoredStats = z.output<typeof storedStats>;
export const statsTarget = projectionTarget<{ companyId: number; campaignId: number }, StoredStats>(campaignStatsEntityName);

export const campaignStatsPartEntityName = 'campaign-stats-part';

/** What some shards of the stream counted of the recipients; the sum of the parts is added to the counters. Alone it may be negative. */
export const storedStatsPart = storedStats.omit({ paceSamples: true }).extend({ part: z.int() });
export type StoredStatsPart = z.output<typeof storedStatsPart>;
export const statsPartTarget = projectionTarget<{ companyId: number; campaignId: number; part: number }, StoredStatsPart>(
  campaignStatsPartEntityName,
);

export const campaignFailuresEntityName = 'campaign-failures';

/** The recipients of a batch whose message has failed, a projection of the change stream: a retry and a list of failures read only them. */
export const storedFailures = z.object({
  companyId: z.int(),
  campaignId: z.int(),
  batch: z.int(),
  contactIds: z.array(z.int()),
  rev: z.int().default(0),
  checkpoints: z.record(z.string(), z.string()).default({}),
});
export type StoredFailures = z.output<typeof storedFailures>;
export const failuresTarget = projectionTarget<{ companyId: number; campaignId: number; batch: number }, StoredFailures>(
  campaignFailuresEntityName,
);

export const campaignReplyEntityName = 'campaign-reply';

/** A contact's first reply to a campaign, by its time. Ids alone: what it says is in its conversation. */
export const storedReply = z.object({
  companyId: z.int(),
  campaignId: z.int(),
  contactId: z.int(),
  at: z.int(),
  messageId: z.int(),
  hasStopped: z.literal(true).optional(),
  rev: z.int().default(0),
  checkpoints: z.record(z.string(), z.string()).default({}),
});
export type StoredReply = z.output<typeof storedReply>;
export type ReplyId = Pick<StoredReply, 'companyId' | 'campaignId' | 'contactId' | 'at'>;
export const replyTarget = projectionTarget<ReplyId, StoredReply>(campaignReplyEntityName);
