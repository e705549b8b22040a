import * as z from 'zod';
import { all, any, below, equals, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import {
  recipientBatchEntityName,
  campaignFailuresEntityName,
  storedFailures,
  type StoredFailures,
  campaignStatsEntityName,
  campaignStatsPartEntityName,
  storedRecipientBatch,
  type StoredRecipientBatch,
  storedStats,
  storedStatsPart,
  type StoredStats,
} from '../contract/stored.ts';

const partition = (companyId: number, campaignId: number): string => `${tenant(companyId)}#CAMPAIGN#${campaignId}`;
const batchKey = (batch: number): string => `B#${sortable(batch)}`;

/** The batches of a campaign share a partition, in the order of sending. Single-recipient batches, numbered by message ids, come last. */
export const recipientBatchEntity = entity({
  name: recipientBatchEntityName,
  purpose: 'A hundred recipients of a campaign and the progress of sending to them',
  attributes: storedRecipientBatch,
  key: ({ companyId, campaignId, batch }: RecipientBatchId) => ({ pk: partition(companyId, campaignId), sk: batchKey(batch) }),
  idOf: ({ companyId, campaignId, batch }) => ({ companyId, campaignId, batch }),
  personalData: 'values given for one recipient',
  example: { pk: 'C#<company>#CAMPAIGN#<campaign>', sk: 'B#<batch, 16 digits>' },
});

export interface RecipientBatchId {
  companyId: number;
  campaignId: number;
  batch: number;
}

export const statsEntity = entity({
  name: campaignStatsEntityName,
  purpose: 'The counters of a campaign, a projection of its messages',
  attributes: storedStats,
  key: ({ companyId, campaignId }: { companyId: number; campaignId: number }) => ({ pk: partition(companyId, campaignId), sk: 'STATS' }),
  idOf: ({ companyId, campaignId }) => ({ companyId, campaignId }),
  example: { pk: 'C#<company>#CAMPAIGN#<campaign>', sk: 'STATS' },
});

/** In the partition of the sum, so that one shard of the stream adds them up. */
export const statsPartEntity = entity({
  name: campaignStatsPartEntityName,
  purpose: 'What some shards of the change stream counted of a campaign',
  attributes: storedStatsPart,
  key: ({ companyId, campaignId, part }: { companyId: number; campaignId: number; part: number }) => ({
    pk: partition(companyId, campaignId),
    sk: `STATS#${part}`,
  }),
  idOf: ({ companyId, campaignId, part }) => ({ companyId, campaignId, part }),
  example: { pk: 'C#<company>#CAMPAIGN#<campaign>', sk: 'STATS#<part>' },
});

export const failuresEntity = entity({
  name: campaignFailuresEntityName,
  purpose: 'The recipients of a batch whose message failed',
  attributes: storedFailures,
  key: ({ companyId, campaignId, batch }: RecipientBatchId) => ({ pk: partition(companyId, campaignId), sk: `F#${sortable(batch)}` }),
  idOf: ({ companyId, campaignId, batch }) => ({ companyId, campaignId, batch }),
  example: { pk: 'C#<company>#CAMPAIGN#<campaign>', sk: 'F#<batch, 16 digits>' },
});

export const listFailures = pattern(
  {
    question: 'failed recipients of a campaign, batch by batch',
    entity: campaignFailuresEntityName,
    by: 'Query',
    units: '0.5 RRU per 4 KB',
  },
  async (companyId: number, campaignId: number, { from = 0, to }: { from?: number; to?: number } = {}): Promise<StoredFailures[]> => {
    const between = [`F#${sortable(from)}`, to === undefined ? 'F#~' : `F#${sortable(to)}`] as const;
    const query = { pk: partition(companyId, campaignId), between, consistent: true } as const;
    return failuresEntity.collect(query, { where: ({ contactIds }) => contactIds.length > 0 });
  },
);

/** False when a later attempt at the segment wrote the batch, or a worker changed it. */
export const putRecipientBatch = pattern(
  { question: 'a batch of recipients is written', entity: recipientBatchEntityName, by: 'PutItem', units: '1 WRU a hundred recipients' },
  async (batch: StoredRecipientBatch): Promise<boolean> =>
    (await recipientBatchEntity.put(batch, any(missing(), all(equals('rev', 0), below('builtAtRev', batch.builtAtRev))))).done,
);

/**
 * The batch of a single recipient whom the template did not reach before: with it the contact is reached, so that an operation that is repeated
 * knows its own recipient by its batch. False: the reach changed since it was read, or the batch exists.
 */
export const createFirstRecipientBatch = pattern(
  {
    question: 'a batch for one recipient, new to the template',
    entity: recipientBatchEntityName,
    by: 'TransactWriteItems',
    units: '4 WRU',
  },
  async (batch: StoredRecipientBatch, seen: TemplateReach, change: Pick<TemplateReach, 'bits' | 'claims'>): Promise<boolean> => {
    const reach = templateReachEntity.putting(
      { ...seen, ...change, rev: seen.rev + 1 },
      seen.rev === 0 ? missing() : equals('rev', seen.rev),
    );
    return (await commit({ batch: recipientBatchEntity.putting(batch, missing()), reach })).done;
  },
);

export const createRecipientBatch = pattern(
  { question: 'a batch for one recipient', entity: recipientBatchEntityName, by: 'PutItem', units: '1 WRU' },
  async (batch: StoredRecipientBatch): Promise<boolean> => (await recipientBatchEntity.put(batch, missing())).done,
);

/** Consistent by default. */
export const getRecipientBatch = pattern(
  { question: 'a batch of recipients', entity: recipientBatchEntityName, by: 'GetItem', units: '1 RRU, 0.5 eventually consistent' },
  (companyId: number, campaignId: number, batch: number, { consistent = true } = {}): Promise<StoredRecipientBatch | undefined> =>
    recipientBatchEntity.get({ companyId, campaignId, batch }, { consistent }),
);

/** Refused when the batch changed since it was read. */
export const updateRecipientBatch = pattern(
  { question: 'a batch is claimed, given back or done', entity: recipientBatchEntityName, by: 'PutItem', units: '1 WRU' },
  (seen: StoredRecipientBatch, change: Partial<StoredRecipientBatch>): Promise<Written<StoredRecipientBatch>> =>
    recipientBatchEntity.put({ ...seen, ...change, rev: seen.rev + 1 }, equals('rev', seen.rev)),
);

/** Batches in order, from a number on. */
export const listRecipientBatches = pattern(
  {
    question: 'batches of a campaign in order',
    entity: recipientBatchEntityName,
    by: 'Query',
    units: '0.5 RRU per 4 KB (about 5 batches)',
  },
  async (
    companyId: number,
    campaignId: number,
    { from, to, limit, consistent }: { from: number; to?: number; limit: number; consistent?: boolean },
  ): Promise<StoredRecipientBatch[]> => {
    const between = [batchKey(from), to === undefined ? 'B#~' : batchKey(to)] as const;
    const query = { pk: partition(companyId, campaignId), between, ...(consistent ? { consistent } : {}) };
    return recipientBatchEntity.collect(query, { atMost: limit });
  },
);

export const hasOpenBatch = pattern(
  {
    question: 'whether a batch of a campaign is not done, single recipients included',
    entity: recipientBatchEntityName,
    by: 'Query',
    units: '1 RRU per 4 KB (about 5 batches)',
  },
  async (companyId: number, campaignId: number): Promise<boolean> => {
    const query = { pk: partition(companyId, campaignId), between: [batchKey(0), 'B#~'], limit: 200, consistent: true } as const;
    for await (const { done } of recipientBatchEntity.items(query)) if (!done) return true;
    return false;
  },
);

/** Batches of one recipient each, with values of their own: their numbers are ids of messages, which begin with a second. */
export const listSingleRecipientBatches = pattern(
  {
    question: 'batches of one recipient, for an erasure',
    entity: recipientBatchEntityName,
    by: 'Query',
    units: '1 RRU per 4 KB (about 20 batches)',
  },
  (companyId: number, campaignId: number): Promise<StoredRecipientBatch[]> =>
    recipientBatchEntity.collect({ pk: partition(companyId, campaignId), between: [batchKey(2 ** 40), 'B#~'], consistent: true }),
);

export const getStats = pattern(
  { question: 'the counters of a campaign', entity: campaignStatsEntityName, by: 'GetItem', units: '1 RRU, consistently' },
  (companyId: number, campaignId: number): Promise<StoredStats | undefined> =>
    statsEntity.get({ companyId, campaignId }, { consistent: true }),
);

/** Of several campaigns, by campaign; those that have begun. */
export const listStats = pattern(
  { question: 'the counters of several campaigns', entity: campaignStatsEntityName, by: 'BatchGetItem', units: '0.5 RRU a campaign' },
  async (companyId: number, campaignIds: readonly number[]): Promise<Map<number, StoredStats>> => {
    const found = await statsEntity.getMany(campaignIds.map((campaignId) => ({ companyId, campaignId })));
    return new Map(found.map((stats) => [stats.campaignId, stats]));
  },
);

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** Whom a template was sent to by campaigns, one bit a contact, 4,096 ids a row (prevent_template_duplicates). */
const templateReachEntity = entity({
  name: 'template-reach',
  purpose: 'Which of 4,096 contacts are in a campaign of a template, one bit each',
  attributes: z.object({
    companyId: z.int(),
    templateId: z.int(),
    span: z.int(),
    rev: z.int(),
    bits: bytes,
    /** What each campaign under construction added with its present segment: a segment that is repeated finds its own. */
    claims: z.record(z.string(), z.object({ below: z.int(), bits: bytes, few: z.array(z.int()).optional(), at: z.int() })),
  }),
  key: ({ companyId, templateId, span }: TemplateReachId) => ({
    pk: `${tenant(companyId)}#TEMPLATE_REACH#${templateId}`,
    sk: sortable(span),
  }),
  idOf: ({ companyId, templateId, span }) => ({ companyId, templateId, span }),
  example: { pk: 'C#<company>#TEMPLATE_REACH#<template>', sk: '<contact id / 4,096, 16 digits>' },
});

interface TemplateReachId {
  companyId: number;
  templateId: number;
  span: number;
}

export type TemplateReach = ItemOf<typeof templateReachEntity>;

export const getTemplateReach = pattern(
  { question: 'whom campaigns of a template reached', entity: 'template-reach', by: 'GetItem', units: '1 RRU a 4,096 contacts' },
  async (companyId: number, templateId: number, span: number): Promise<TemplateReach> =>
    (await templateReachEntity.get({ companyId, templateId, span }, { consistent: true })) ?? {
      companyId,
      templateId,
      span,
      rev: 0,
      bits: new Uint8Array(),
      claims: {},
    },
);

/** False: another campaign added to it since it was read. */
export const updateTemplateReach = pattern(
  { question: 'campaigns of a template reached more contacts', entity: 'template-reach', by: 'PutItem', units: '1 WRU a 4,096 contacts' },
  async (seen: TemplateReach, change: Pick<TemplateReach, 'bits' | 'claims'>): Promise<boolean> =>
    (await templateReachEntity.put({ ...seen, ...change, rev: seen.rev + 1 }, seen.rev === 0 ? missing() : equals('rev', seen.rev))).done,
);
