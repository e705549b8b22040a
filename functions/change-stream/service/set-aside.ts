import type { DynamoDBRecord } from 'aws-lambda';
import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { setAsideChangeName } from '../contract.ts';
import {
  createReplay,
  deleteSetAside,
  finishReplay,
  listSetAside,
  parseSetAside,
  putSetAside,
  requestRetry,
  type SetAsideChange,
  updateLeft,
} from '../store/set-aside.ts';
import type { DeliveryPart, RefusedConsequence, StreamRecord, UnreadableRecord } from './stream-record.ts';

/**
 * Stores changes that cannot be carried out, so that the shard goes on without them: a shard that waits holds up every company on it. The
 * alarm names the runbook; `admin changes retry` has them carried out once their cause is mended.
 */
export const setAside = async (records: readonly UnreadableRecord[]): Promise<void> => {
  for (const { raw, error, left } of records) {
    report(error);
    // of a retry the change inside is stored already
    if (kindOf(raw) !== setAsideChangeName) await putSetAside({ ...changeOf(raw, error), ...(left ? { left: [...left] } : {}) });
  }
};

/** Stores changes of which a part is refused for good: a retry does what is left of them, and nothing that is done. */
export const setAsideParts = async (parts: readonly RefusedConsequence[]): Promise<void> => {
  for (const [record, own] of Map.groupBy(parts, (each) => each.record)) {
    const [first] = own;
    report(first?.error);
    const left = [...new Set(own.map(({ part }) => part))];
    if (isRetry(record)) await updateLeft(record.eventId, left);
    else await putSetAside({ ...changeOf(record.raw, first?.error), left });
  }
};

const report = (error: unknown): void => {
  log.error('A stored change could not be carried out', error);
  metric('ChangesSetAside', 'Count', 1);
};

const changeOf = (raw: DynamoDBRecord, error: unknown): SetAsideChange => ({
  eventId: raw.eventID ?? raw.dynamodb?.SequenceNumber ?? '',
  of: kindOf(raw),
  error: error instanceof Error ? error.name : typeof error,
  record: JSON.stringify(raw),
  at: now(),
});

const kindOf = ({ dynamodb }: DynamoDBRecord): string => (dynamodb?.NewImage ?? dynamodb?.OldImage)?.['kind']?.S ?? 'unknown';

const isRetry = ({ raw, eventId }: StreamRecord): boolean => kindOf(raw) === setAsideChangeName && raw.eventID !== eventId;

/** The change that the operator wants to be carried out, where this record requests that, and what is left of it. */
export const requestedChange = (
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown> | undefined,
): { record: DynamoDBRecord; left: readonly string[] | undefined } | undefined => {
  if (after?.['kind'] !== setAsideChangeName || after['retriedAt'] === before?.['retriedAt']) return undefined;
  const { record, left } = parseSetAside(after);
  return record === undefined ? undefined : { record: JSON.parse(record) as DynamoDBRecord, left };
};

/** What a retry carried out is set aside no longer. */
export const finishRetries = async (records: readonly StreamRecord[]): Promise<void> => {
  for (const record of records)
    if (isRetry(record)) await (record.eventId.startsWith(replayPrefix) ? finishReplay(record.eventId) : deleteSetAside(record.eventId));
};

export const listSetAsideChanges = (): Promise<SetAsideChange[]> => listSetAside();

/** It is carried out by no retry any more. */
export const deleteSetAsideChange = (eventId: string): Promise<void> => deleteSetAside(eventId);

/**
 * Has parts of a change that the stream lost carried out by the stream consumer, as a retry: what is refused for good stays set aside. The same id
 * is the same change, and done once. False: it was requested before.
 */
export const requestReplay = (id: string, raw: Omit<DynamoDBRecord, 'eventID'>, left: readonly DeliveryPart[]): Promise<boolean> =>
  createReplay({ ...changeOf({ ...raw, eventID: `${replayPrefix}${id}` }, undefined), error: 'lost', left: [...left], retriedAt: now() });

const replayPrefix = 'replay-';

/** All of them, or one; in the order in which they were set aside, and those of one moment in that of the stream. Returns how many. */
export const retrySetAsideChanges = async (eventId?: string): Promise<number> => {
  const changes = (await listSetAside()).filter((each) => each.record !== undefined && (eventId === undefined || each.eventId === eventId));
  for (const change of changes.toSorted((a, b) => a.at - b.at || compareSequences(a, b))) await requestRetry(change.eventId, now());
  return changes.length;
};

const compareSequences = (a: SetAsideChange, b: SetAsideChange): number => (sequenceOf(a) < sequenceOf(b) ? -1 : 1);

const sequenceOf = ({ record = '{}' }: SetAsideChange): bigint =>
  BigInt((JSON.parse(record) as DynamoDBRecord).dynamodb?.SequenceNumber ?? 0);
