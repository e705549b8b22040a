import type * as z from 'zod';
import type { EventSpec } from '../contract/event.ts';
import type { Queue } from '../contract/queue.ts';

/**
 * Write once; let the change speak. A stored change has consequences: messages on queues, events on the bus, and folds into summary
 * rows. Reactions say which, and are pure; the one stream consumer (functions/changes) carries them out.
 */
export interface StoredChange<T> {
  before: T | undefined;
  after: T | undefined;
  /** Epoch milliseconds, to the second: when the change was written. */
  writtenAt: number;
}

export type Consequence =
  | { kind: 'message'; queue: Queue; companyId: number; message: unknown; delaySeconds?: number }
  | { kind: 'event'; event: EventSpec; companyId: number; detail: unknown }
  | Projection;

/** One change's part in a summary row (a total, a conversation's head). Folded in stream order, each change exactly once. */
export interface Projection {
  kind: 'fold';
  /** The entity's name; the stream consumer knows the entity, so that reactions stay free of the table. */
  into: string;
  id: unknown;
  /** The row after this change. In: undefined when there is no row yet. Out: undefined to leave it as it is. */
  apply: (row: Record<string, unknown> | undefined) => Record<string, unknown> | undefined;
}

/** A summary row that changes fold into. Its entity carries `rev` (moved by every write) and `checkpoints` (last sequence number by shard). */
export interface ProjectionTarget<Id, Row> {
  name: string;
  /** Only types; never set. */
  readonly idType?: Id;
  readonly rowType?: Row;
}

export const projectionTarget = <Id, Row>(name: string): ProjectionTarget<Id, Row> => ({ name });

/** The total of a kind of record (shared/table/head). */
export interface CounterRow {
  companyId: number;
  of: string;
  lastId: number;
  total: number;
}
export const counterTarget = projectionTarget<{ companyId: number; of: string }, CounterRow>('counter');

/** Moves the total of a kind of record by `by`. */
export const addToCounter = (companyId: number, of: string, by: number): Projection =>
  project(counterTarget, { companyId, of }, (row) => ({
    ...(row ?? { companyId, of, lastId: 0, total: 0 }),
    total: (row?.total ?? 0) + by,
  }));

export const message = <S extends z.ZodType>(queue: Queue<S>, companyId: number, body: z.input<S>, delaySeconds?: number): Consequence => ({
  kind: 'message',
  queue: queue as unknown as Queue,
  companyId,
  message: body,
  ...(delaySeconds ? { delaySeconds } : {}),
});

export const emitEvent = <S extends z.ZodType>(event: EventSpec<S>, companyId: number, detail: z.input<S>): Consequence => ({
  kind: 'event',
  event: event as unknown as EventSpec,
  companyId,
  detail,
});

export const project = <Id, Row extends object>(
  into: ProjectionTarget<Id, Row>,
  id: Id,
  apply: (row: Row | undefined) => Row | undefined,
): Projection => ({
  kind: 'fold',
  into: into.name,
  id,
  apply: apply as unknown as Projection['apply'],
});

/** A context's reactions to one kind of item. */
export interface Reaction {
  to: string;
  parse: (raw: unknown) => unknown;
  react: (change: StoredChange<never>) => readonly Consequence[];
}

export const reaction = <T>(
  entity: { name: string; parse: (raw: unknown) => T },
  react: (change: StoredChange<T>) => readonly Consequence[],
): Reaction => ({ to: entity.name, parse: entity.parse, react: react as Reaction['react'] });
