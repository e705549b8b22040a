import * as z from 'zod';
import { entity, type ItemOf } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';

/** Of a sequence number; padded, numbers compare as texts. */
const sequenceDigits = 40;

/** In the order of the stream: a shard that goes on with the items of another has greater sequence numbers. */
export interface DelayedBatchId {
  companyId: number;
  first: string;
  last: string;
  shard: string;
}

export const delayedBatchEntity = entity({
  name: 'delayed-batch',
  purpose: 'Changes of a company that wait because its rows take no writes for now, in the order of their shard; an object has the changes',
  attributes: z.object({
    shardId: z.string(),
    /** Its name in checkpoints. */
    shard: z.string(),
    companyId: z.int(),
    /** Sequence numbers of its first and its last record. A shard that begins again brings other batches of the same records. */
    first: z.string(),
    last: z.string(),
    records: z.int(),
    /** Epoch milliseconds at which they were set aside. */
    at: z.int(),
  }),
  key: ({ companyId, first, last, shard }: DelayedBatchId) => ({
    pk: partition,
    sk: `${companyId}#${first.padStart(sequenceDigits, '0')}-${last}-${shard}`,
  }),
  idOf: ({ companyId, first, last, shard }) => ({ companyId, first, last, shard }),
  example: { pk: 'DELAYED', sk: '<company>#<first>-<last sequence number>-<hash of the shard id>' },
});
export type DelayedBatch = ItemOf<typeof delayedBatchEntity>;

const partition = 'DELAYED';

export const putDelayedBatch = pattern(
  { question: 'changes of a company wait', entity: 'delayed-batch', by: 'PutItem', units: '1 WRU' },
  async (batch: DelayedBatch): Promise<void> => void (await delayedBatchEntity.put(batch)),
);

/** The oldest batch of each company: one query for each, and one that finds no more. */
export const listFirstDelayed = pattern(
  { question: 'which companies have changes that wait', entity: 'delayed-batch', by: 'Query', units: '1 RRU, and 1 for each of them' },
  async (): Promise<DelayedBatch[]> => {
    const found: DelayedBatch[] = [];
    for (let from = ' '; ; ) {
      const { items } = await delayedBatchEntity.query({ pk: partition, between: [from, '~'], limit: 1, consistent: true });
      const [first] = items;
      if (!first) return found;
      found.push(first);
      from = `${first.companyId}#~`;
    }
  },
);

/** Oldest first; all unless `atMost` is given. */
export const listDelayedBatches = pattern(
  { question: 'the changes of a company that wait', entity: 'delayed-batch', by: 'Query', units: '1 RRU for 4 KB' },
  (companyId: number, atMost?: number): Promise<DelayedBatch[]> =>
    delayedBatchEntity.collect({ pk: partition, begins: `${companyId}#`, consistent: true }, atMost === undefined ? {} : { atMost }),
);

export const deleteDelayedBatch = pattern(
  { question: 'changes that waited are carried out', entity: 'delayed-batch', by: 'DeleteItem', units: '1 WRU' },
  async ({ companyId, first, last, shard }: DelayedBatchId): Promise<void> =>
    void (await delayedBatchEntity.delete({ companyId, first, last, shard })),
);
