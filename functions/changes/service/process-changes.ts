import type { DynamoDBRecord } from 'aws-lambda';
import type { ProjectedEntity } from '../../../shared/events/projection.ts';
import type { Consequence, Reaction, StoredChange } from '../../../shared/events/react.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { parseDueKey } from '../../../shared/table/due.ts';
import { fromWire } from '../../../shared/table/wire.ts';
import { placementOf, streamPlacementMs } from '../../dispatch/service.ts';
import { shardName } from '../domain.ts';
import { confirmShard } from '../store/shard.ts';
import { applyProjections } from './apply-projections.ts';
import { enqueueMessages, enqueueWebhooks, logEvents, publishEvents } from './deliver.ts';
import { finishRetries, requestedChange, setAside } from './set-aside.ts';
import type { StreamRecord, UnreadableRecord } from './stream-record.ts';

/** What the contexts declare; functions/changes/registry.generated.ts holds the product's. */
export interface ChangeRegistry {
  reactions: readonly Reaction[];
  projections: readonly ProjectedEntity[];
}

/**
 * Processes a batch of one shard, in order; returns the sequence number of its last record. Changes that cannot be carried out are set aside.
 * Whatever else fails, a throttled table or an unreachable queue, fails the batch: the stream repeats it until its records are 24 hours old.
 */
export const processChanges = async (
  records: readonly DynamoDBRecord[],
  shardId: string,
  { reactions, projections }: ChangeRegistry,
): Promise<string | undefined> => {
  const { read, unreadable } = readRecords(records, shardId, reactions);
  await setAside(unreadable);
  const { applied, shouldConfirm } = await applyProjections(read, shardId, projections);
  const [shouldConfirmLog] = await Promise.all([
    logEvents(applied, shardId),
    enqueueMessages(applied),
    publishEvents(applied),
    enqueueWebhooks(applied),
  ]);
  await finishRetries(applied);
  const done = records.at(-1)?.dynamodb?.SequenceNumber;
  if (shouldConfirm || shouldConfirmLog) await confirmRecords(shardId, done);
  return done;
};

/** Rows and logs may then drop the shard's checkpoint. At the end of a window it matters once the shard is closed: no later batch would take its place. */
export const confirmRecords = async (shardId: string, done: string | undefined): Promise<void> => {
  if (done !== undefined) await confirmShard(shardName(shardId), BigInt(done));
};

function readRecords(
  records: readonly DynamoDBRecord[],
  shardId: string,
  reactions: readonly Reaction[],
): { read: StreamRecord[]; unreadable: UnreadableRecord[] } {
  const read: StreamRecord[] = [];
  const unreadable: UnreadableRecord[] = [];
  for (const record of records) {
    const sequence = record.dynamodb?.SequenceNumber ?? '';
    try {
      const writtenAt = (record.dynamodb?.ApproximateCreationDateTime ?? 0) * 1_000;
      const position = { shardId, sequence, writtenAt };
      const images = imagesOf(record);
      const requested = requestedChange(images.before, images.after);
      const change = requested ?? record;
      const consequences = consequencesOf(requested ? imagesOf(requested) : images, eventIdOf(change), writtenAt, reactions);
      read.push({ position, eventId: change.eventID ?? sequence, consequences, raw: record });
    } catch (error) {
      unreadable.push({ raw: record, error });
    }
  }
  return { read, unreadable };
}

const eventIdOf = ({ eventID, dynamodb }: DynamoDBRecord): string => eventID ?? dynamodb?.SequenceNumber ?? '';

function consequencesOf({ before, after }: Images, changeId: string, writtenAt: number, reactions: readonly Reaction[]): Consequence[] {
  const kind = (after ?? before)?.['kind'];
  // the reactions to a kind share a parser (ItemKind): an image is parsed once for all of them
  const parsed = new Map<Reaction['parse'], StoredChange<unknown>>();
  const changeFor = (parse: Reaction['parse']): StoredChange<unknown> => {
    const known = parsed.get(parse) ?? { before: before && parse(before), after: after && parse(after), writtenAt, changeId };
    parsed.set(parse, known);
    return known;
  };
  const reacted = reactions
    .filter((reaction) => reaction.to === kind)
    .flatMap((reaction) => {
      const change = changeFor(reaction.parse) as Parameters<Reaction['react']>[0];
      return reaction.react(change).map((consequence) => declaredBy(reaction, consequence));
    });
  return [...reacted, ...dueSoon(before, after)];
}

/** The function has no permission for a queue that no context declares, and an event that breaks its schema would fail the whole batch. */
function declaredBy({ to, sendsTo }: Reaction, consequence: Consequence): Consequence {
  if (consequence.kind === 'event') return { ...consequence, detail: consequence.event.detail.parse(consequence.detail) };
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

interface Images {
  before: Record<string, unknown> | undefined;
  after: Record<string, unknown> | undefined;
}

const imagesOf = ({ dynamodb }: DynamoDBRecord): Images => ({ before: imageOf(dynamodb?.OldImage), after: imageOf(dynamodb?.NewImage) });

function imageOf(raw: unknown): Record<string, unknown> | undefined {
  return raw === undefined ? undefined : (fromWire({ M: raw }) as Record<string, unknown>);
}
