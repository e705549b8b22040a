import { all, any, below, equals, missing } from '../../../shared/table/condition.ts';
import { entity, type Written } from '../../../shared/table/entity.ts';
import { commit } from '../../../shared/table/transaction.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable } from '../../../shared/table/schema.ts';
import { recipientBatchEntityName, storedRecipientBatch, type StoredRecipientBatch } from '../contract/stored.ts';
import { firstSingleRecipientBatch } from '../domain/recipient-batch.ts';
import { campaignPartition } from './campaign-partition.ts';
import { puttingTemplateReach, type TemplateReach } from './template-reach.ts';

const batchKey = (batch: number): string => `B#${sortable(batch)}`;

/** The batches of a campaign share a partition, in the order of sending. Single-recipient batches, numbered by message ids, come last. */
export const recipientBatchEntity = entity({
  name: recipientBatchEntityName,
  purpose: 'A hundred recipients of a campaign and the progress of sending to them',
  attributes: storedRecipientBatch,
  key: ({ companyId, campaignId, batch }: RecipientBatchId) => ({ pk: campaignPartition(companyId, campaignId), sk: batchKey(batch) }),
  idOf: ({ companyId, campaignId, batch }) => ({ companyId, campaignId, batch }),
  personalData: 'values given for one recipient',
  example: { pk: 'C#<company>#CAMPAIGN#<campaign>', sk: 'B#<batch, 16 digits>' },
});

export interface RecipientBatchId {
  companyId: number;
  campaignId: number;
  batch: number;
}

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
    const reach = puttingTemplateReach(seen, change);
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
    const query = { pk: campaignPartition(companyId, campaignId), between, ...(consistent ? { consistent } : {}) };
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
    const query = { pk: campaignPartition(companyId, campaignId), between: [batchKey(0), 'B#~'], limit: 200, consistent: true } as const;
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
    recipientBatchEntity.collect({
      pk: campaignPartition(companyId, campaignId),
      between: [batchKey(firstSingleRecipientBatch), 'B#~'],
      consistent: true,
    }),
);
