import type { DynamoDBRecord } from 'aws-lambda';
import type { ProjectedEntity } from '../../../shared/events/projection.ts';
import type { Consequence, Reaction } from '../../../shared/events/react.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { parseDueKey } from '../../../shared/table/due.ts';
import { fromWire } from '../../../shared/table/wire.ts';
import { placementOf, streamPlacementMs } from '../../dispatch/service.ts';
import { applyProjections } from './apply-projections.ts';
import { enqueueMessages, enqueueWebhooks, publishEvents } from './deliver.ts';
import type { StreamRecord } from './stream-record.ts';

/** What the contexts declare; functions/changes/registry.generated.ts holds the product's. */
export interface ChangeRegistry {
  reactions: readonly Reaction[];
  projections: readonly ProjectedEntity[];
}

/**
 * Processes a batch of one shard, in order. Returns the sequence number of the first record that cannot be processed: the stream repeats
 * the batch from there, and everything before it is done.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export const processChanges = async (
  records: readonly DynamoDBRecord[],
  shardId: string,
  { reactions, projections }: ChangeRegistry,
): Promise<string | undefined> => {
  const { read, failedAt } = readRecords(records, shardId, reactions);
  await applyProjections(read, projections);
  await Promise.all([enqueueMessages(read), publishEvents(read), enqueueWebhooks(read)]);
  return failedAt;
};

function readRecords(
  records: readonly DynamoDBRecord[],
  shardId: string,
  reactions: readonly Reaction[],
): { read: StreamRecord[]; failedAt: string | undefined } {
  const read: StreamRecord[] = [];
  for (const record of records) {
    const sequence = record.dynamodb?.SequenceNumber ?? '';
    try {
      const writtenAt = (record.dynamodb?.ApproximateCreationDateTime ?? 0) * 1_000;
      const position = { shardId, sequence, writtenAt };
      read.push({ position, eventId: eventIdOf(record), consequences: consequencesOf(record, writtenAt, reactions) });
    } catch (error) {
      log.error('A stored change could not be read', error);
      return { read, failedAt: sequence };
    }
  }
  return { read, failedAt: undefined };
}

const eventIdOf = ({ eventID, dynamodb }: DynamoDBRecord): string => eventID ?? dynamodb?.SequenceNumber ?? '';

function consequencesOf(record: DynamoDBRecord, writtenAt: number, reactions: readonly Reaction[]): Consequence[] {
  const changeId = eventIdOf(record);
  const before = imageOf(record.dynamodb?.OldImage);
  const after = imageOf(record.dynamodb?.NewImage);
  const kind = (after ?? before)?.['kind'];
  const reacted = reactions
    .filter((reaction) => reaction.to === kind)
    .flatMap((reaction) => {
      const change = { before: before && reaction.parse(before), after: after && reaction.parse(after), writtenAt, changeId };
      return reaction.react(change as Parameters<Reaction['react']>[0]).map((consequence) => declaredBy(reaction, consequence));
    });
  return [...reacted, ...dueSoon(before, after)];
}

/** The function has no permission for a queue that no context declares. */
function declaredBy({ to, sendsTo }: Reaction, consequence: Consequence): Consequence {
  if (consequence.kind === 'message' && !sendsTo.includes(consequence.queue))
    throw new Error(`A reaction to ${to} sends to the queue ${consequence.queue.name} without declaring it.`);
  return consequence;
}

/** Work that falls due before the dispatcher's next tick is enqueued by the stream consumer. */
function dueSoon(before: Record<string, unknown> | undefined, after: Record<string, unknown> | undefined): Consequence[] {
  const key = after?.['due_sk'];
  if (typeof key !== 'string' || key === before?.['due_sk']) return [];
  const due = parseDueKey(key);
  return due.dueAtMs <= now() + streamPlacementMs ? [{ kind: 'message', ...placementOf(due, now()) }] : [];
}

function imageOf(raw: unknown): Record<string, unknown> | undefined {
  return raw === undefined ? undefined : (fromWire({ M: raw }) as Record<string, unknown>);
}
