import type * as z from 'zod';
import type { EventSpec } from '../contract/event.ts';
import type { FeedEvent, LoggedEvent } from '../contract/logged-event.ts';
import type { Queue } from '../contract/queue.ts';
import type { QueueSpec } from '../contract/resource.ts';

/**
 * A use case writes one record; everything else follows from the change stream. Reactions are pure functions from a stored change to its
 * consequences: queue messages, events, and projections into summary rows. The stream consumer (functions/change-stream) carries them out.
 */
export interface StoredChange<T> {
  before: T | undefined;
  after: T | undefined;
  /** Epoch milliseconds, to the second: when the change was written. */
  writtenAt: number;
  /** The same whenever this change is delivered again; another one for every other change. */
  changeId: string;
}

export type Consequence =
  | { kind: 'message'; queue: Queue; companyId: number; message: unknown; delaySeconds?: number }
  | { kind: 'event'; event: EventSpec; companyId: number; detail: unknown }
  | { kind: 'log'; companyId: number; event: LoggedEvent; oncePerSecond?: true }
  | Projection;

/** One change's effect on a summary row (a total, the summary of a conversation). Applied in stream order, each change exactly once. */
export interface Projection {
  kind: 'projection';
  /** The name of the row's entity. The stream consumer knows the entity, so reactions need no import of the table. */
  into: string;
  id: unknown;
  /** Returns the row after this change, or undefined to leave it as it is. The argument is undefined when there is no row yet. */
  apply: (row: Record<string, unknown> | undefined) => Record<string, unknown> | undefined;
  /** `into` is one of the parts of this sum, or of itself where no row has the sum: the stream consumer adds to the id the part that its shard writes to. */
  partOf?: string;
  isEvidence?: true;
}

/**
 * A summary row that projections write. Its entity has the attributes `rev` (incremented by every write) and `checkpoints` (the last
 * sequence number applied, by shard).
 */
export interface ProjectionTarget<Id, Row> {
  name: string;
  /** Exist only in the type. */
  readonly idType?: Id;
  readonly rowType?: Row;
  /**
   * The row is evidence, of which each change brings anew what it says: where a change adds nothing to the row as it was read a moment ago, the
   * row is not read again. What such a read may miss, the next change brings (docs/decisions/projections-from-the-stream.md).
   */
  isEvidence?: true;
}

export const projectionTarget = <Id, Row>(name: string, options: { isEvidence?: true } = {}): ProjectionTarget<Id, Row> => ({
  name,
  ...options,
});

/** The counter of a kind of record (shared/table/counter.ts). */
export interface CounterRow {
  companyId: number;
  of: string;
  lastId: number;
  total: number;
  cells?: Record<string, number> | undefined;
}
export const counterTarget = projectionTarget<{ companyId: number; of: string }, CounterRow>('counter');

/** Adds `by` to the number of records of a kind. */
export const addToCounter = (companyId: number, of: string, by: number): Projection =>
  project(counterTarget, { companyId, of }, (row) => ({
    ...(row ?? { companyId, of, lastId: 0, total: 0 }),
    total: (row?.total ?? 0) + by,
  }));

/** Moves a record from one cell of its kind's counter to another; the total is what all cells have. */
export const moveInCounter = (companyId: number, of: string, from: string | undefined, to: string | undefined): Projection =>
  project(counterTarget, { companyId, of }, (row) => {
    const cells: Record<string, number> = { ...row?.cells };
    for (const [cell, by] of [
      [from, -1],
      [to, 1],
    ] as const) {
      if (cell === undefined) continue;
      const count = (cells[cell] ?? 0) + by;
      // changes of one cell come from several shards in any order: a count may be below zero for a moment
      if (count === 0) delete cells[cell];
      else cells[cell] = count;
    }
    const by = Number(to !== undefined) - Number(from !== undefined);
    return { ...(row ?? { companyId, of, lastId: 0, total: 0 }), total: (row?.total ?? 0) + by, cells };
  });

export const message = <S extends z.ZodType>(queue: Queue<S>, companyId: number, body: z.input<S>, delaySeconds?: number): Consequence => ({
  kind: 'message',
  queue: queue as unknown as Queue,
  companyId,
  message: body,
  ...(delaySeconds ? { delaySeconds } : {}),
});

/**
 * An event of a company: a line of its log, where the spec declares one, and a message to the queue of webhooks; and to the bus, where the operator has
 * turned it on.
 */
export const emitEvent = <S extends z.ZodType>(event: EventSpec<S>, companyId: number, detail: z.input<S>): Consequence => ({
  kind: 'event',
  event: event as unknown as EventSpec,
  companyId,
  detail,
});

/**
 * For the company's event log alone; `type`: of a spec that has several. `oncePerSecond`: of a type and subject, so that a record which changes
 * with each message of a campaign costs one line a second.
 */
export const logEvent = <S extends z.ZodType>(
  { types }: FeedEvent<S>,
  companyId: number,
  { type = types[0], ...line }: Pick<LoggedEvent, 'subject' | 'by'> & { type?: string; data: z.input<S> & LoggedEvent['data'] },
  options: { oncePerSecond?: true } = {},
): Consequence => ({ kind: 'log', companyId, event: { type, ...line }, ...options });

export const project = <Id, Row extends object>(
  into: ProjectionTarget<Id, Row>,
  id: Id,
  apply: (row: Row | undefined) => Row | undefined,
): Projection => ({
  kind: 'projection',
  into: into.name,
  id,
  apply: apply as unknown as Projection['apply'],
  ...(into.isEvidence ? { isEvidence: true } : {}),
});

/**
 * As `project`, where all shards of the stream would write to one row: it has parts, and each shard writes to one of them. A reaction to the
 * parts (`sumOfParts`) adds them up: docs/decisions/campaign-counters-in-parts.md. Without a sum, their reader adds them up.
 */
export const projectPart = <Id, Row extends object>(
  into: { part: ProjectionTarget<Id & { part: number }, Row & { part: number }>; sum?: ProjectionTarget<Id, Row> },
  id: Id,
  apply: (row: Row | undefined) => Row,
): Projection => ({
  kind: 'projection',
  into: into.part.name,
  partOf: into.sum?.name ?? into.part.name,
  id,
  apply: apply as unknown as Projection['apply'],
});

/** A reaction to one kind of item. */
export interface Reaction {
  /** The name of the entity. */
  to: string;
  /** The queues its messages go to: from them the stream consumer gets its permissions. A message to any other queue is an error. */
  sendsTo: readonly QueueSpec[];
  parse: (raw: unknown) => unknown;
  /** Given what `parse` made of the images; as a method, so that a reaction to any kind of item is one. */
  react(change: StoredChange<unknown>): readonly Consequence[];
  /** It only adds up what other reactions have counted. */
  isSum?: true;
}

/**
 * The name of a kind of item and the parser of its images. Where several reactions are to one kind, its contract has this for all of them: the
 * stream consumer parses an image once for each parser.
 */
export interface ItemKind<T> {
  name: string;
  parse: (raw: unknown) => T;
}

export const reaction = <T>(
  entity: ItemKind<T>,
  react: (change: StoredChange<T>) => readonly Consequence[],
): Omit<Reaction, 'sendsTo'> => ({ to: entity.name, parse: entity.parse, react });

/** Adds the change of a part to the sum; see `projectPart`. */
export const sumOfParts = <Part, Id, Row extends object>(
  part: ItemKind<Part>,
  into: ProjectionTarget<Id, Row>,
  { idOf, add }: { idOf: (part: Part) => Id; add: (sum: Row | undefined, before: Part | undefined, after: Part) => Row },
): Omit<Reaction, 'sendsTo'> => ({
  ...reaction<Part>(part, ({ before, after }) => (after ? [project(into, idOf(after), (sum) => add(sum, before, after))] : [])),
  isSum: true,
});

/** Reactions of a context, with the queues that they send to. */
export const reactionList = (
  { sendsTo }: { sendsTo: readonly QueueSpec[] },
  reactions: readonly Omit<Reaction, 'sendsTo'>[],
): readonly Reaction[] => reactions.map((each) => ({ ...each, sendsTo }));
