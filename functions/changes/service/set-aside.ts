import type { DynamoDBRecord } from 'aws-lambda';
import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { setAsideChangeName } from '../contract.ts';
import { deleteSetAside, listSetAside, putSetAside, requestRetry, type SetAsideChange, setAsideEntity } from '../store/set-aside.ts';
import type { StreamRecord, UnreadableRecord } from './stream-record.ts';

/** An item has 400 KB, and its images are in it twice. */
const maxRecordLength = 350_000;

/**
 * Stores changes that cannot be carried out, so that the shard goes on without them: a shard that waits holds up every company on it. The
 * alarm names the runbook; `admin changes retry` has them carried out once their cause is mended.
 */
export const setAside = async (records: readonly UnreadableRecord[]): Promise<void> => {
  for (const { raw, error } of records) {
    log.error('A stored change could not be carried out', error);
    metric('ChangesSetAside', 'Count', 1);
    const record = JSON.stringify(raw);
    // of a retry the change inside is stored already
    if (kindOf(raw) === setAsideChangeName) continue;
    await putSetAside({
      eventId: raw.eventID ?? raw.dynamodb?.SequenceNumber ?? '',
      of: kindOf(raw),
      error: error instanceof Error ? error.name : typeof error,
      record: record.length <= maxRecordLength ? record : undefined,
      at: now(),
    });
  }
};

const kindOf = ({ dynamodb }: DynamoDBRecord): string => (dynamodb?.NewImage ?? dynamodb?.OldImage)?.['kind']?.S ?? 'unknown';

/** The change that the operator wants to be carried out, where this record requests that. */
export const requestedChange = (
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown> | undefined,
): DynamoDBRecord | undefined => {
  if (after?.['kind'] !== setAsideChangeName || after['retriedAt'] === before?.['retriedAt']) return undefined;
  const { record } = setAsideEntity.parse(after);
  return record === undefined ? undefined : (JSON.parse(record) as DynamoDBRecord);
};

/** What a retry carried out is set aside no longer. */
export const finishRetries = async (records: readonly StreamRecord[]): Promise<void> => {
  for (const { raw, eventId } of records) if (kindOf(raw) === setAsideChangeName && raw.eventID !== eventId) await deleteSetAside(eventId);
};

export const listSetAsideChanges = (): Promise<SetAsideChange[]> => listSetAside();

/** It is carried out by no retry any more. */
export const deleteSetAsideChange = (eventId: string): Promise<void> => deleteSetAside(eventId);

/** All of them, or one; in the order in which they were set aside. Returns how many. */
export const retrySetAsideChanges = async (eventId?: string): Promise<number> => {
  const changes = (await listSetAside()).filter((each) => each.record !== undefined && (eventId === undefined || each.eventId === eventId));
  for (const change of changes.toSorted((a, b) => a.at - b.at)) await requestRetry(change.eventId, now());
  return changes.length;
};
