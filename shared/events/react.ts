import type * as z from 'zod';
import type { EventSpec } from '../contract/event.ts';
import type { Queue } from '../contract/queue.ts';
import type { Key } from '../table/entity.ts';

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
  | Fold;

/** One change's part in a summary row (a total, a conversation's head). Folded in stream order, each change exactly once. */
export interface Fold {
  kind: 'fold';
  into: Foldable;
  id: unknown;
  /** The row after this change; `undefined` in: the row does not exist yet; `undefined` out: leave it as it is. */
  apply: (row: Record<string, unknown> | undefined) => Record<string, unknown> | undefined;
}

/** An entity that folds can write to: its rows carry `rev` (of every write) and `marks` (last sequence number by shard). */
export interface Foldable {
  name: string;
  key: (id: never) => Key;
  get: (id: never, options?: { consistent?: boolean }) => Promise<Record<string, unknown> | undefined>;
  put: (item: never, condition?: never) => Promise<{ done: boolean }>;
}

export const message = <S extends z.ZodType>(queue: Queue<S>, companyId: number, body: z.input<S>, delaySeconds?: number): Consequence => ({
  kind: 'message',
  queue: queue as unknown as Queue,
  companyId,
  message: body,
  ...(delaySeconds ? { delaySeconds } : {}),
});

export const happened = <S extends z.ZodType>(event: EventSpec<S>, companyId: number, detail: z.input<S>): Consequence => ({
  kind: 'event',
  event: event as unknown as EventSpec,
  companyId,
  detail,
});

export const fold = <Id, T extends Record<string, unknown>>(
  into: {
    name: string;
    key: (id: Id) => Key;
    get: (id: Id, options?: { consistent?: boolean }) => Promise<T | undefined>;
    put: (item: T) => Promise<{ done: boolean }>;
  },
  id: Id,
  apply: (row: T | undefined) => T | undefined,
): Fold => ({ kind: 'fold', into: into as unknown as Foldable, id, apply: apply as Fold['apply'] });

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
