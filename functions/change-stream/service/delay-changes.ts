import { gunzipSync, gzipSync } from 'node:zlib';
import type { DynamoDBRecord } from 'aws-lambda';
import { shardName } from '../../../shared/events/checkpoints.ts';
import { deleteObject, wholeObject, writeObject } from '../../../shared/objects/bucket.ts';
import { minuteMs, now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { delayedBucket } from '../contract.ts';
import { deleteDelayedBatch, type DelayedBatch, listDelayedBatches, listFirstDelayed, putDelayedBatch } from '../store/delayed-batch.ts';

/** How long changes may wait before the operator is to look. */
const patienceMs = 15 * minuteMs;

/**
 * The companies whose changes wait, and since when, epoch milliseconds. Until they are carried out, later ones of the company wait behind
 * them, on whatever shard: one that goes on with another's items must not come before it.
 */
export const listDelayedCompanies = async (): Promise<ReadonlyMap<number, number>> =>
  new Map((await listFirstDelayed()).map(({ companyId, at }) => [companyId, at]));

/** Says that changes of a company wait, and rings where they do for long. */
export const reportWaiting = (companyId: number, since: number, records: number): void => {
  log.warn('Changes of a company wait: its rows take no writes for now', { company_id: companyId, records });
  if (now() - since > patienceMs) metric('ChangesSetAside', 'Count', 1);
};

/** Whether changes of a company wait: its rows are not what its items say. */
export const hasDelayedChanges = async (companyId: number): Promise<boolean> => (await listDelayedBatches(companyId, 1)).length > 0;

/** Sets aside changes of a company in one batch of a shard. The same batch once more is the same object. */
export const delayChanges = async (companyId: number, shardId: string, records: readonly DynamoDBRecord[]): Promise<void> => {
  const [first = '0', last = '0'] = [records.at(0), records.at(-1)].map((record) => record?.dynamodb?.SequenceNumber);
  const batch: DelayedBatch = { shardId, shard: shardName(shardId), companyId, first, last, records: records.length, at: now() };
  await writeDelayed(batch, records);
  await putDelayedBatch(batch);
};

/** Undefined: the object is gone. */
export const readDelayed = async (batch: DelayedBatch): Promise<DynamoDBRecord[] | undefined> => {
  const body = await wholeObject(delayedBucket, objectKey(batch));
  return body && (JSON.parse(gunzipSync(body).toString()) as DynamoDBRecord[]);
};

const writeDelayed = (batch: DelayedBatch, records: readonly DynamoDBRecord[]): Promise<void> =>
  writeObject(delayedBucket, objectKey(batch), gzipSync(JSON.stringify(records)), 'application/gzip');

/** The item first: without it nothing looks for the object. */
export const deleteDelayed = async (batch: DelayedBatch): Promise<void> => {
  await deleteDelayedBatch(batch);
  await deleteObject(delayedBucket, objectKey(batch));
};

/** A step for each batch of a company with records that are to be carried out no more: it leaves the others. */
export const eraseFromDelayed = async (
  companyId: number,
  isErased: (record: DynamoDBRecord) => boolean,
): Promise<(() => Promise<void>)[]> => {
  const steps = (await listDelayedBatches(companyId)).map(async (batch) => {
    const records = (await readDelayed(batch)) ?? [];
    const left = records.filter((record) => !isErased(record));
    return left.length < records.length ? [() => writeDelayed(batch, left)] : [];
  });
  return (await Promise.all(steps)).flat();
};

const objectKey = ({ companyId, shard, first, last }: DelayedBatch): string => `${companyId}/${shard}/${first}-${last}.json.gz`;
