import type { DynamoDBRecord } from 'aws-lambda';
import { hourMs, now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { inParallel } from '../../../shared/runtime/parallel.ts';
import { restoreState } from '../../../shared/table/restored-copy.ts';
import { type DelayedBatch, listDelayedBatches, listFirstDelayed } from '../store/delayed-batch.ts';
import { deleteDelayed, readDelayed, reportWaiting } from './delay-changes.ts';
import { type ChangeRegistry, processChanges } from './process-changes.ts';

/** A row drops the checkpoint of a shard after thirty hours, and with it the proof that it contains a change. */
const exactForMs = 24 * hourMs;

/** How long one call begins batches; its function is given longer. */
const workMs = 45_000;

/** Batches that a call takes together where they are of one shard: a row then takes one write for all of them. */
const batchesAtOnce = 20;

/**
 * Carries out what waited, of each company in the order of the stream, at the positions that the changes had: so each counts once, whatever of it
 * was done before. Where a company's rows still take no writes, the rest of it waits for the next call.
 */
export const catchUp = async (registry: ChangeRegistry): Promise<void> => {
  if ((await restoreState()) !== 'open') return log.warn('The restored table is not open: changes that were set aside wait');
  const endAt = performance.now() + workMs;
  await inParallel(await listFirstDelayed(), 8, async ({ companyId, at }) => {
    for (;;) {
      const batches = await listDelayedBatches(companyId, batchesAtOnce);
      const [first] = batches;
      if (!first) return;
      const ofOneShard = batches.slice(0, endOfShard(batches));
      if (performance.now() > endAt || !(await carryOut(first, ofOneShard, registry))) return reportWaiting(companyId, at, first.records);
    }
  });
};

/** How many of the first ones are of one shard. */
const endOfShard = (batches: readonly DelayedBatch[]): number => {
  const other = batches.findIndex(({ shardId }) => shardId !== batches[0]?.shardId);
  return other < 0 ? batches.length : other;
};

/** False: rows of the company still take no writes. */
async function carryOut(
  { companyId, shardId, at }: DelayedBatch,
  batches: readonly DelayedBatch[],
  registry: ChangeRegistry,
): Promise<boolean> {
  const objects = await inParallel(batches, 8, readDelayed);
  if (objects.includes(undefined)) log.error('Changes that waited are lost: recount the company', undefined, { company_id: companyId });
  const withoutRows = now() - at > exactForMs;
  if (withoutRows) log.error('Changes waited for more than a day: recount the company', undefined, { company_id: companyId });
  const records = inOrderOnce(objects.flatMap((object) => object ?? []));
  const { delayed } = await processChanges(records, shardId, registry, { isCatchUp: true, withoutRows });
  if (delayed.size > 0) return false;
  for (const batch of batches) await deleteDelayed(batch);
  return true;
}

/** A shard that began again brought some of them in two batches. */
const inOrderOnce = (records: readonly DynamoDBRecord[]): DynamoDBRecord[] => {
  const sequenceOf = ({ dynamodb }: DynamoDBRecord): bigint => BigInt(dynamodb?.SequenceNumber ?? 0);
  const bySequence = new Map(records.map((record) => [sequenceOf(record), record]));
  return [...bySequence].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record);
};
