import type { DynamoDBRecord } from 'aws-lambda';
import type { Queue } from '../../shared/contract/queue.ts';
import { publish } from '../../shared/events/publish.ts';
import type { Consequence, Projection, Reaction } from '../../shared/events/react.ts';
import { send, type Outgoing } from '../../shared/queue/send.ts';
import { now } from '../../shared/runtime/clock.ts';
import { log } from '../../shared/runtime/log.ts';
import { all, any as either, type ConditionNode, equals, exists, missing } from '../../shared/table/condition.ts';
import { parseDueKey } from '../../shared/table/due.ts';
import { fromWire } from '../../shared/table/wire.ts';
import { counterEntity } from '../../shared/table/counter.ts';
import { contactReactions } from '../contacts/reactions.ts';
import { consentReactions } from '../contacts/reactions/consent.ts';
import { contactProjections } from '../contacts/projections.ts';
import { importReactions } from '../contacts/reactions/import.ts';
import { reachabilityReactions } from '../contacts/reactions/reachability.ts';
import { conversationReactions } from '../conversations/reactions.ts';
import { conversationEntity } from '../conversations/service/conversations.ts';
import { crmReactions } from '../crm/reactions.ts';
import { activityEntity, blockEntity, cellsEntity, leadRowEntity, taskRowEntity } from '../crm/service/folded.ts';
import { placementOf, reachMs } from '../dispatch/service.ts';
import { templateReactions } from '../templates/reactions.ts';
import { messagingReactions } from '../messaging/reactions.ts';
import { inboundReactions } from '../messaging/reactions/inbound.ts';
import { enqueueEventsForEndpoints } from '../webhooks/service/enqueue-events.ts';
import { verificationReactions } from '../verification/reactions.ts';
import { proofsEntity } from '../verification/service/proofs.ts';
import { changedAttributes, isNew, type Checkpoints, type StreamPosition, withCheckpoint } from './domain.ts';
import { campaignReactions } from '../campaigns/reactions.ts';
import { failuresEntity, statsEntity } from '../campaigns/service/folded.ts';
import { shopReactions } from '../shop/reactions.ts';
import { categoryEntity } from '../shop/service/categories.ts';

/** Every context's reactions, and the rows that they may fold into. */
const reactions: readonly Reaction[] = [
  ...contactReactions,
  ...consentReactions,
  ...conversationReactions,
  ...messagingReactions,
  ...inboundReactions,
  ...templateReactions,
  ...reachabilityReactions,
  ...importReactions,
  ...crmReactions,
  ...shopReactions,
  ...campaignReactions,
  ...verificationReactions,
];
const foldables: Readonly<Record<string, FoldableEntity>> = {
  [counterEntity.name]: counterEntity as unknown as FoldableEntity,
  [conversationEntity.name]: conversationEntity as unknown as FoldableEntity,
  ...Object.fromEntries(contactProjections.map((entity) => [entity.name, entity as unknown as FoldableEntity])),
  [activityEntity.name]: activityEntity as unknown as FoldableEntity,
  [leadRowEntity.name]: leadRowEntity as unknown as FoldableEntity,
  [taskRowEntity.name]: taskRowEntity as unknown as FoldableEntity,
  [cellsEntity.name]: cellsEntity as unknown as FoldableEntity,
  [blockEntity.name]: blockEntity as unknown as FoldableEntity,
  [proofsEntity.name]: proofsEntity as unknown as FoldableEntity,
  [categoryEntity.name]: categoryEntity as unknown as FoldableEntity,
  [statsEntity.name]: statsEntity as unknown as FoldableEntity,
  [failuresEntity.name]: failuresEntity as unknown as FoldableEntity,
};

interface FoldableEntity {
  get: (id: unknown, options?: { consistent?: boolean }) => Promise<SummaryRow | undefined>;
  key: (id: unknown) => { pk: string; sk: string };
  stored: (item: SummaryRow) => Record<string, unknown>;
  put: (item: SummaryRow, condition: ConditionNode) => Promise<{ done: boolean; current?: SummaryRow }>;
  change: (
    id: unknown,
    change: { set: Record<string, unknown> },
    condition: ConditionNode,
  ) => Promise<{ done: boolean; current?: SummaryRow }>;
}
type SummaryRow = Record<string, unknown> & { rev: number; checkpoints: Checkpoints };

/** What one record leads to. */
interface Spoken {
  place: StreamPosition;
  eventId: string;
  consequences: readonly Consequence[];
}

/**
 * Carries out a batch of one shard, in order. Answers the sequence number of the first record that cannot be worked, so that the
 * stream comes again from there; what lies before it is done.
 */
export const processChanges = async (records: readonly DynamoDBRecord[], shardId: string): Promise<string | undefined> => {
  const { spoken, failedAt } = listen(records, shardId);
  await foldAll(spoken);
  await Promise.all([queueAll(spoken), publishAll(spoken), tellAll(spoken)]);
  return failedAt;
};

function listen(records: readonly DynamoDBRecord[], shardId: string): { spoken: Spoken[]; failedAt: string | undefined } {
  const spoken: Spoken[] = [];
  for (const record of records) {
    const sequence = record.dynamodb?.SequenceNumber ?? '';
    try {
      const writtenAt = (record.dynamodb?.ApproximateCreationDateTime ?? 0) * 1_000;
      const place = { shardId, sequence, writtenAt };
      spoken.push({ place, eventId: record.eventID ?? sequence, consequences: consequencesOf(record, writtenAt) });
    } catch (error) {
      log.error('A stored change could not be read', error);
      return { spoken, failedAt: sequence };
    }
  }
  return { spoken, failedAt: undefined };
}

function consequencesOf(record: DynamoDBRecord, writtenAt: number): Consequence[] {
  const before = image(record.dynamodb?.OldImage);
  const after = image(record.dynamodb?.NewImage);
  const kind = (after ?? before)?.['kind'];
  const spoken = reactions
    .filter((reaction) => reaction.to === kind)
    .flatMap((reaction) => {
      const change = { before: before && reaction.parse(before), after: after && reaction.parse(after), writtenAt };
      return reaction.react(change as Parameters<Reaction['react']>[0]);
    });
  return [...spoken, ...newlyDue(before, after)];
}

/** Work that becomes due before the dispatcher's next look is placed right away. */
function newlyDue(before: Record<string, unknown> | undefined, after: Record<string, unknown> | undefined): Consequence[] {
  const key = after?.['due_sk'];
  if (typeof key !== 'string' || key === before?.['due_sk']) return [];
  const due = parseDueKey(key);
  return due.dueAtMs <= now() + reachMs ? [{ kind: 'message', ...placementOf(due, now()) }] : [];
}

interface PlacedFold {
  place: StreamPosition;
  apply: Projection['apply'];
}

async function foldAll(spoken: readonly Spoken[]): Promise<void> {
  const byRow = new Map<string, { entity: FoldableEntity; id: unknown; folds: PlacedFold[] }>();
  for (const { place, consequences } of spoken) {
    for (const fold of consequences) {
      if (fold.kind !== 'projection') continue;
      const entity = foldables[fold.into];
      if (!entity) throw new Error(`Nothing folds into ${fold.into}.`);
      const key = entity.key(fold.id);
      const row = byRow.get(`${key.pk}|${key.sk}`) ?? { entity, id: fold.id, folds: [] };
      row.folds.push({ place, apply: fold.apply });
      byRow.set(`${key.pk}|${key.sk}`, row);
    }
  }
  await Promise.all([...byRow.values()].map(({ entity, id, folds }) => foldRow(entity, id, folds)));
}

/**
 * One write for all of a batch's changes to a row, on the condition that nobody wrote it since it was read. A row whose time is over is
 * as good as none, though the table may hold it for days.
 */
async function foldRow(entity: FoldableEntity, id: unknown, folds: readonly PlacedFold[]): Promise<void> {
  let row = await entity.get(id);
  for (let attempt = 0; attempt < 20; attempt++) {
    const seen = row;
    const fresh = folds.filter(({ place }) => isNew(seen?.checkpoints ?? {}, place));
    const last = fresh.at(-1);
    if (!last) return;
    const folded = fresh.reduce<Record<string, unknown> | undefined>((current, { apply }) => apply(current) ?? current, seen);
    if (folded === undefined) {
      // only a consistent look can say that there is no row (a group made a moment ago, and its first contact)
      if (seen !== undefined || attempt > 0) return;
      row = await entity.get(id, { consistent: true });
      if (row === undefined) return;
      continue;
    }
    // a fold that gives back the row itself has nothing to add: it costs its read, and needs no mark to say nothing only once
    if (folded === seen) return;
    const next: SummaryRow = { ...folded, rev: (seen?.rev ?? 0) + 1, checkpoints: withCheckpoint(seen?.checkpoints ?? {}, last.place) };
    const written = seen
      ? await entity.change(
          id,
          { set: changedAttributes(entity.stored(seen), entity.stored(next)) },
          // a missing item has no `rev` either: without `exists` the write would restore a deleted row without its other fields
          all(exists(), either(equals('rev', seen.rev), missing('rev'))),
        )
      : await entity.put(next, missing());
    if (written.done) return;
    row = await entity.get(id, { consistent: true });
  }
  throw new Error('A summary row changed too often to be folded into.');
}

async function queueAll(spoken: readonly Spoken[]): Promise<void> {
  const byQueue = new Map<Queue, Outgoing[]>();
  for (const consequence of spoken.flatMap(({ consequences }) => consequences)) {
    if (consequence.kind !== 'message') continue;
    const { queue, companyId, message, delaySeconds } = consequence;
    byQueue.set(queue, [...(byQueue.get(queue) ?? []), { companyId, message, ...(delaySeconds ? { delaySeconds } : {}) }]);
  }
  await Promise.all([...byQueue].map(([queue, messages]) => send(queue, messages)));
}

async function publishAll(spoken: readonly Spoken[]): Promise<void> {
  const happenings = spoken.flatMap(({ eventId, consequences }) =>
    consequences.flatMap((each, index) =>
      each.kind === 'event' ? [{ event: each.event, companyId: each.companyId, detail: each.detail, id: `${eventId}-${index}` }] : [],
    ),
  );
  if (happenings.length > 0) await publish(happenings);
}

/** An event is known by its change, its name and its place among those of that name: other events of the change do not move it. */
async function tellAll(spoken: readonly Spoken[]): Promise<void> {
  const changes = spoken.flatMap(({ eventId, place, consequences }) => {
    const seen = new Map<string, number>();
    return consequences.flatMap((each) => {
      if (each.kind !== 'event') return [];
      const { event, companyId } = each;
      const nth = seen.get(event.name) ?? 0;
      seen.set(event.name, nth + 1);
      const data = event.detail.parse(each.detail) as Record<string, unknown>;
      const changeId = `${eventId}:${event.name}:${nth}`;
      return [{ event: event.name, companyId, data, changeId, sequence: place.sequence, writtenAtMs: place.writtenAt }];
    });
  });
  await enqueueEventsForEndpoints(changes);
}

function image(raw: unknown): Record<string, unknown> | undefined {
  return raw === undefined ? undefined : (fromWire({ M: raw }) as Record<string, unknown>);
}
