import * as z from 'zod';
import { all, any, below, equals, missing } from '../../../shared/table/condition.ts';
import { entity, type ItemOf, type Written } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import {
  campaignBlockEntityName,
  campaignFailuresEntityName,
  storedFailures,
  type StoredFailures,
  campaignStatsEntityName,
  storedBlock,
  type StoredBlock,
  storedStats,
  type StoredStats,
} from '../contract/stored.ts';

const partition = (companyId: number, campaignId: number): string => `${tenant(companyId)}#CAMPAIGN#${campaignId}`;
const blockKey = (block: number): string => `B#${sortable(block)}`;

/** A campaign's blocks lie in one partition in the order in which they are sent to; those of single recipients, whose numbers are message ids, behind. */
export const blockEntity = entity({
  name: campaignBlockEntityName,
  purpose: 'A hundred recipients of a campaign, and how far they are worked',
  attributes: storedBlock,
  key: ({ companyId, campaignId, block }: BlockId) => ({ pk: partition(companyId, campaignId), sk: blockKey(block) }),
  idOf: ({ companyId, campaignId, block }) => ({ companyId, campaignId, block }),
  example: { pk: 'C#<company>#CAMPAIGN#<campaign>', sk: 'B#<block, 16 digits>' },
});

export interface BlockId {
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
  key: ({ companyId, campaignId, block }: BlockId) => ({ pk: partition(companyId, campaignId), sk: `F#${sortable(block)}` }),
  idOf: ({ companyId, campaignId, block }) => ({ companyId, campaignId, block }),
  example: { pk: 'C#<company>#CAMPAIGN#<campaign>', sk: 'F#<block, 16 digits>' },
});

export const failuresFrom = pattern(
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
    return rows.filter(({ contacts }) => contacts.length > 0);
  },
);

/** False: a later attempt at its segment wrote it, or it is worked already. */
export const putBlock = pattern(
  { question: 'a block of recipients is written', entity: campaignBlockEntityName, by: 'PutItem', units: '1 WRU a hundred recipients' },
  async (block: StoredBlock): Promise<boolean> =>
    (await blockEntity.put(block, any(missing(), all(equals('rev', 0), below('by', block.by))))).done,
);

export const addBlock = pattern(
  { question: 'a block for one recipient', entity: campaignBlockEntityName, by: 'PutItem', units: '1 WRU' },
  async (block: StoredBlock): Promise<boolean> => (await blockEntity.put(block, missing())).done,
);

export const getBlock = pattern(
  { question: 'a block of recipients', entity: campaignBlockEntityName, by: 'GetItem', units: '1 RRU, consistently' },
  (companyId: number, campaignId: number, block: number): Promise<StoredBlock | undefined> =>
    blockEntity.get({ companyId, campaignId, block }, { consistent: true }),
);

export const glanceAtBlock = pattern(
  { question: 'whether a block is through', entity: campaignBlockEntityName, by: 'GetItem', units: '0.5 RRU' },
  (companyId: number, campaignId: number, block: number): Promise<StoredBlock | undefined> =>
    blockEntity.get({ companyId, campaignId, block }),
);

/** Changes a block as it was seen. */
export const changeBlock = pattern(
  { question: 'a block is taken, given back or done', entity: campaignBlockEntityName, by: 'PutItem', units: '1 WRU' },
  (seen: StoredBlock, change: Partial<StoredBlock>): Promise<Written<StoredBlock>> =>
    blockEntity.put({ ...seen, ...change, rev: seen.rev + 1 }, equals('rev', seen.rev)),
);

/** Blocks in order, from one on. */
export const blocksFrom = pattern(
  { question: 'blocks of a campaign in order', entity: campaignBlockEntityName, by: 'Query', units: '0.5 RRU per 4 KB (about 5 blocks)' },
  async (
    companyId: number,
    campaignId: number,
    { from, to, limit, consistent }: { from: number; to?: number; limit: number; consistent?: boolean },
  ): Promise<StoredBlock[]> => {
    const blocks: StoredBlock[] = [];
    if (to !== undefined && to < from) return blocks;
    let after: Record<string, unknown> | undefined;
    do {
      const page = await blockEntity.query({
        pk: partition(companyId, campaignId),
        between: [blockKey(from), to === undefined ? 'B#~' : blockKey(to)],
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
const reachEntity = entity({
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
  key: ({ companyId, templateId, span }: ReachId) => ({ pk: `${tenant(companyId)}#TEMPLATE_REACH#${templateId}`, sk: sortable(span) }),
  idOf: ({ companyId, templateId, span }) => ({ companyId, templateId, span }),
  example: { pk: 'C#<company>#TEMPLATE_REACH#<template>', sk: '<contact id / 4,096, 16 digits>' },
});

interface ReachId {
  companyId: number;
  templateId: number;
  span: number;
}

export type Reach = ItemOf<typeof reachEntity>;

export const getReach = pattern(
  { question: 'whom campaigns of a template reached', entity: 'template-reach', by: 'GetItem', units: '1 RRU a 4,096 contacts' },
  async (companyId: number, templateId: number, span: number): Promise<Reach> =>
    (await reachEntity.get({ companyId, templateId, span }, { consistent: true })) ?? {
      companyId,
      templateId,
      span,
      rev: 0,
      bits: new Uint8Array(),
      claims: {},
    },
);

/** False: another campaign added to it since it was read. */
export const putReach = pattern(
  { question: 'campaigns of a template reached more contacts', entity: 'template-reach', by: 'PutItem', units: '1 WRU a 4,096 contacts' },
  async (seen: Reach, change: Pick<Reach, 'bits' | 'claims'>): Promise<boolean> =>
    (await reachEntity.put({ ...seen, ...change, rev: seen.rev + 1 }, seen.rev === 0 ? missing() : equals('rev', seen.rev))).done,
);
