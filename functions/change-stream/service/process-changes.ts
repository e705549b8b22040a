import type { DynamoDBRecord } from 'aws-lambda';
import { shardName } from '../../../shared/events/checkpoints.ts';
import type { ProjectedEntity } from '../../../shared/events/projection.ts';
import type { Consequence, Reaction, StoredChange } from '../../../shared/events/react.ts';
import type { JournalRule } from '../../../shared/contract/journal.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { companyOfKey } from '../../../shared/table/schema.ts';
import { parseDueKey } from '../../../shared/table/due.ts';
import { isRestoredChange } from '../../../shared/table/restored-item.ts';
import { placementOf, streamPlacementMs } from '../../due-work/service.ts';
import { confirmShard } from '../store/shard.ts';
import { applyProjections } from './apply-projections.ts';
import { delayChanges, reportWaiting } from './delay-changes.ts';
import { type Delivered, deliverPart, enqueueMessages, enqueueWebhooks, logEvents, publishEvents } from './deliver.ts';
import { type Images, imagesOf } from './images.ts';
import { ringDoorbell } from './ring-doorbell.ts';
import { finishRetries, requestedChange, setAside, setAsideParts } from './set-aside.ts';
import { deliveryParts, isLeft, type StreamRecord, type UnreadableRecord } from './stream-record.ts';
import { writeJournal } from './write-journal.ts';

/** What the contexts declare; functions/change-stream/registry.generated.ts holds the product's. */
export interface ChangeRegistry {
  reactions: readonly Reaction[];
  projections: readonly ProjectedEntity[];
  /** None: nothing is written to the journal. */
  journal?: readonly JournalRule[];
  /** Every kind of item that this version knows; none: all. What changes of another kind lead to is left to the version that wrote it. */
  kinds?: ReadonlySet<string>;
}

/** How a batch is processed beside others of its companies. */
export interface Processing {
  /** Companies with earlier changes that wait, and since when: theirs wait behind them. */
  waiting?: ReadonlyMap<number, number>;
  /** These changes waited. Where rows still take no writes, nothing is stored anew, and the shard confirms nothing. */
  isCatchUp?: boolean;
  /** The rows are no longer known to lack the changes: they are left out. */
  withoutRows?: boolean;
}

export interface Processed {
  /** The sequence number of the last record. */
  done: string | undefined;
  /** Companies whose changes of this batch wait because their rows take no writes for now. */
  delayed: ReadonlySet<number>;
}

/**
 * Processes a batch of one shard, in order. Changes that cannot be carried out are set aside, and of others the parts that the table or a queue
 * refuses for good (docs/decisions/refusals-for-good.md). Changes of a company whose rows or log take no writes for now wait apart, so that its
 * neighbours do not (docs/decisions/slow-companies.md). Whatever else fails, an unreachable table or queue, fails the batch: the stream repeats it
 * until its records are 24 hours old.
 */
export const processChanges = async (
  records: readonly DynamoDBRecord[],
  shardId: string,
  { journal = [], ...registry }: ChangeRegistry,
  { waiting = new Map(), isCatchUp = false, withoutRows = false }: Processing = {},
): Promise<Processed> => {
  const { read, unreadable } = readRecords(records, shardId, registry);
  await setAside(unreadable);
  const waits = (record: StreamRecord): boolean => record.companyId !== undefined && waiting.has(record.companyId);
  const ready = read.filter((record) => !waits(record));
  const rows = await applyProjections(withoutRows ? ready.map(leavingOutRows) : ready, shardId, registry.projections);
  const present = rows.applied.filter((record) => !rows.slow.has(record.companyId ?? 0));
  const [delivered] = await Promise.all([
    Promise.all([
      logAndRing(present, shardId),
      deliverPart('queues', present, enqueueMessages),
      deliverPart('bus', present, publishEvents),
      deliverPart('webhooks', present, enqueueWebhooks),
    ]),
    writeJournal(records, shardId, journal),
  ]);
  const delayed = new Set([...rows.slow, ...delivered.flatMap((each) => [...each.slow])]);
  const isLater = (record: StreamRecord): boolean => delayed.has(record.companyId ?? 0);
  if (!isCatchUp) await delayRecords([...read.filter(waits), ...rows.applied.filter(isLater)], shardId, waiting);
  const left = [...rows.refused, ...delivered.flatMap((each) => each.refused)].filter(({ record }) => !isLater(record));
  await setAsideParts(left);
  const unfinished = new Set(left.map(({ record }) => record));
  await finishRetries(present.filter((record) => !isLater(record) && !unfinished.has(record)));
  const done = records.at(-1)?.dynamodb?.SequenceNumber;
  const shouldConfirm = rows.shouldConfirm || delivered.some((each) => each.shouldConfirm);
  // a confirmed shard's rows may drop the checkpoints by which changes that wait will be known as new
  if (shouldConfirm && !isCatchUp && waiting.size + delayed.size === 0) await confirmRecords(shardId, done);
  return { done, delayed };
};

const leavingOutRows = (record: StreamRecord): StreamRecord => ({
  ...record,
  left: new Set(deliveryParts.filter((part) => isLeft(record, part))),
});

const delayRecords = async (records: readonly StreamRecord[], shardId: string, waiting: ReadonlyMap<number, number>): Promise<void> => {
  for (const [companyId, own] of Map.groupBy(records, (record) => record.companyId)) {
    if (companyId === undefined) continue;
    const raw = own.map((record) => record.raw);
    await delayChanges(companyId, shardId, raw);
    reportWaiting(companyId, waiting.get(companyId) ?? now(), raw.length);
  }
};

/** The pages that are rung find the events. */
async function logAndRing(applied: readonly StreamRecord[], shardId: string): Promise<Delivered> {
  const delivered = await deliverPart('log', applied, (each) => logEvents(each, shardId));
  await ringDoorbell(applied);
  return delivered;
}

/** Rows and logs may then drop the shard's checkpoint. At the end of a window it matters once the shard is closed: no later batch would take its place. */
export const confirmRecords = async (shardId: string, done: string | undefined): Promise<void> => {
  if (done !== undefined) await confirmShard(shardName(shardId), BigInt(done));
};

function readRecords(
  records: readonly DynamoDBRecord[],
  shardId: string,
  { reactions, kinds }: ChangeRegistry,
): { read: StreamRecord[]; unreadable: UnreadableRecord[] } {
  const read: StreamRecord[] = [];
  const unreadable: UnreadableRecord[] = [];
  for (const record of records) {
    const sequence = record.dynamodb?.SequenceNumber ?? '';
    try {
      const position = { shardId, sequence, writtenAt: writtenAtOf(record) };
      const own = imagesOf(record);
      const requested = requestedChange(own.before, own.after);
      const change = requested?.record ?? record;
      const images = requested ? imagesOf(requested.record) : own;
      if (isOfAnotherVersion(images, kinds)) {
        if (hasExpired(change)) continue;
        throw new OfAnotherVersion(kindOf(images));
      }
      const consequences = consequencesOf(images, eventIdOf(change), writtenAtOf(change), reactions);
      read.push({
        position,
        eventId: eventIdOf(change),
        consequences,
        raw: record,
        companyId: companyOfKey(String((own.after ?? own.before)?.['pk'])),
        ...(requested?.left ? { left: new Set(requested.left) } : {}),
      });
    } catch (error) {
      // its rows may have it already, from the version that knows it and whose batch came again: a recount counts it once
      unreadable.push({ raw: record, error, ...(error instanceof OfAnotherVersion ? { left: deliveryParts } : {}) });
    }
  }
  return { read, unreadable };
}

/** The error's name is shown by `admin changes list`: retry once the version that knows the kind is deployed (docs/decisions/two-versions.md). */
class OfAnotherVersion extends Error {
  override name = 'OfAnotherVersion';
  constructor(kind: string) {
    super(`This version knows no items of the kind ${kind}.`);
  }
}

const kindOf = ({ before, after }: Images): string => String((after ?? before)?.['kind']);

const isOfAnotherVersion = (images: Images, kinds: ReadonlySet<string> | undefined): boolean =>
  kinds !== undefined && (images.after ?? images.before)?.['kind'] !== undefined && !kinds.has(kindOf(images));

/** Expiry comes for weeks after the kind was given up: only rows follow from it, and a recount brings those. */
const hasExpired = ({ userIdentity }: DynamoDBRecord): boolean => userIdentity?.principalId === 'dynamodb.amazonaws.com';

const writtenAtOf = ({ dynamodb }: DynamoDBRecord): number => (dynamodb?.ApproximateCreationDateTime ?? 0) * 1_000;

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
    .flatMap((reaction) => reaction.react(changeFor(reaction.parse)).map((consequence) => declaredBy(reaction, consequence)));
  const all = [...reacted, ...dueSoon(before, after)];
  return isRestoredChange(before, after) ? all.filter((each) => each.kind === 'projection') : all;
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
  if (due.dueAtMs > now() + streamPlacementMs) return [];
  const placement = placementOf(due, now());
  // work of another version: the dispatcher's second look finds it
  return placement ? [{ kind: 'message', ...placement }] : [];
}
