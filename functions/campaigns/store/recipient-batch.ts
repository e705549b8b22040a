import * as z from 'zod';
import { all, any, below, equals, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import {
  recipientBatchEntityName,
  campaignFailuresEntityName,
  storedFailures,
  type StoredFailures,
  campaignStatsEntityName,
  storedRecipientBatch,
  type StoredRecipientBatch,
  storedStats,
  type StoredStats,
} from '../contract/stored.ts';

const partition = (companyId: number, campaignId: number): string => `${tenant(companyId)}#CAMPAIGN#${campaignId}`;
const batchKey = (block: number): string => `B#${sortable(block)}`;

/** A campaign's blocks lie in one partition in the order in which they are sent to; those of single recipients, whose numbers are message ids, behind. */
export const recipientBatchEntity = entity({
  name: recipientBatchEntityName,
  purpose: 'A hundred recipients of a campaign, and how far they are worked',
  attributes: storedRecipientBatch,
  key: ({ companyId, campaignId, block }: RecipientBatchId) => ({ pk: partition(companyId, campaignId), sk: batchKey(block) }),
  idOf: ({ companyId, campaignId, block }) => ({ companyId, campaignId, block }),
  example: { pk: 'C#<company>#CAMPAIGN#<campaign>', sk: 'B#<block, 16 digits>' },
});

export interface RecipientBatchId {
  companyId: number;
  campaignId: number;
  block: number;
}

export const statsEntity = entity({
  name: campaignStatsEntityName,
  purpose: 'The counters of a campaign, folded from its rows',
  attributes: storedStats,
  key: ({ companyId, campaignId }: { companyId: number; campaignId: number }) => ({ pk: partition(companyId, campaignId), sk: 'STATS' }),
  idOf: ({ companyId, campaignId }) => ({ companyId, campaignId }),
  example: { pk: 'C#<company>#CAMPAIGN#<campaign>', sk: 'STATS' },
});

export const failuresEntity = entity({
  name: campaignFailuresEntityName,
  purpose: 'Which recipients of a block have failed',
  attributes: storedFailures,
  key: ({ companyId, campaignId, block }: RecipientBatchId) => ({ pk: partition(companyId, campaignId), sk: `F#${sortable(block)}` }),
  idOf: ({ companyId, campaignId, batch: block }) => ({ companyId, campaignId, block }),
  example: { pk: 'C#<company>#CAMPAIGN#<campaign>', sk: 'F#<block, 16 digits>' },
});

export const listFailures = pattern(
  {
    question: 'failed recipients of a campaign, block by block',
    entity: campaignFailuresEntityName,
    by: 'Query',
    units: '0.5 RRU per 4 KB',
  },
  async (companyId: number, campaignId: number, from: number): Promise<StoredFailures[]> => {
    const rows: StoredFailures[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await failuresEntity.query({
        pk: partition(companyId, campaignId),
        between: [`F#${sortable(from)}`, 'F#~'],
        consistent: true,
        after,
      });
      rows.push(...page.items);
      after = page.last;
    } while (after);
    return rows.filter(({ contactIds: contacts }) => contacts.length > 0);
  },
);

/** False: a later attempt at its segment wrote it, or it is worked already. */
export const putRecipientBatch = pattern(
  { question: 'a block of recipients is written', entity: recipientBatchEntityName, by: 'PutItem', units: '1 WRU a hundred recipients' },
  async (block: StoredRecipientBatch): Promise<boolean> =>
    (await recipientBatchEntity.put(block, any(missing(), all(equals('rev', 0), below('by', block.by))))).done,
);

export const createRecipientBatch = pattern(
  { question: 'a block for one recipient', entity: recipientBatchEntityName, by: 'PutItem', units: '1 WRU' },
  async (block: StoredRecipientBatch): Promise<boolean> => (await recipientBatchEntity.put(block, missing())).done,
);

export const getRecipientBatch = pattern(
  { question: 'a block of recipients', entity: recipientBatchEntityName, by: 'GetItem', units: '1 RRU, consistently' },
  (companyId: number, campaignId: number, block: number): Promise<StoredRecipientBatch | undefined> =>
    recipientBatchEntity.get({ companyId, campaignId, block }, { consistent: true }),
);

export const glanceAtBlock = pattern(
  { question: 'whether a block is through', entity: recipientBatchEntityName, by: 'GetItem', units: '0.5 RRU' },
  (companyId: number, campaignId: number, block: number): Promise<StoredRecipientBatch | undefined> =>
    recipientBatchEntity.get({ companyId, campaignId, block }),
);

/** Changes a block as it was seen. */
export const updateRecipientBatch = pattern(
  { question: 'a block is taken, given back or done', entity: recipientBatchEntityName, by: 'PutItem', units: '1 WRU' },
  (seen: StoredRecipientBatch, change: Partial<StoredRecipientBatch>): Promise<Written<StoredRecipientBatch>> =>
    recipientBatchEntity.put({ ...seen, ...change, rev: seen.rev + 1 }, equals('rev', seen.rev)),
);

/** Blocks in order, from one on. */
export const listRecipientBatches = pattern(
  { question: 'blocks of a campaign in order', entity: recipientBatchEntityName, by: 'Query', units: '0.5 RRU per 4 KB (about 5 blocks)' },
  async (
    companyId: number,
    campaignId: number,
    { from, to, limit, consistent }: { from: number; to?: number; limit: number; consistent?: boolean },
  ): Promise<StoredRecipientBatch[]> => {
    const blocks: StoredRecipientBatch[] = [];
    if (to !== undefined && to < from) return blocks;
    let after: Record<string, unknown> | undefined;
    do {
      const page = await recipientBatchEntity.query({
        pk: partition(companyId, campaignId),
        between: [batchKey(from), to === undefined ? 'B#~' : batchKey(to)],
        limit: limit - blocks.length,
        after,
        ...(consistent ? { consistent } : {}),
      });
      blocks.push(...page.items);
      after = page.last;
    } while (after && blocks.length < limit);
    return blocks;
  },
);

export const getStats = pattern(
  { question: 'the counters of a campaign', entity: campaignStatsEntityName, by: 'GetItem', units: '1 RRU, consistently' },
  (companyId: number, campaignId: number): Promise<StoredStats | undefined> =>
    statsEntity.get({ companyId, campaignId }, { consistent: true }),
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
    claims: z.record(z.string(), z.object({ below: z.int(), bits: bytes, at: z.int() })),
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
