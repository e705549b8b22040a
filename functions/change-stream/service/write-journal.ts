import { gzipSync } from 'node:zlib';
import type { DynamoDBRecord } from 'aws-lambda';
import type { JournalRule } from '../../../shared/contract/journal.ts';
import { shardName } from '../../../shared/events/checkpoints.ts';
import { writeObject } from '../../../shared/objects/bucket.ts';
import { tableName } from '../../../shared/table/client.ts';
import { journalBucket } from '../contract.ts';
import { journalKey, lineOf } from '../domain.ts';
import { imagesOf } from './images.ts';

/**
 * Writes what of a batch of one shard must survive a restore, as one object; none where nothing must. A failed write fails the batch, and the
 * stream repeats it: a restore would forget what is missing. See docs/decisions/restore-in-time.md.
 */
export const writeJournal = async (records: readonly DynamoDBRecord[], shardId: string, rules: readonly JournalRule[]): Promise<void> => {
  const byKind = new Map(rules.map((rule) => [rule.of, rule]));
  const lines = records.flatMap((record) => {
    const { ApproximateCreationDateTime: at = 0, SequenceNumber: sequence = '0' } = record.dynamodb ?? {};
    return lineOf({ at, sequence, ...imagesOf(record) }, byKind) ?? [];
  });
  const last = lines.at(-1);
  if (!last) return;
  const body = gzipSync(lines.map((line) => JSON.stringify(line)).join('\n'));
  await writeObject(journalBucket, journalKey(tableName(), shardName(shardId), last), body, 'application/gzip');
};
