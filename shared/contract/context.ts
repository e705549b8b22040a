import type * as z from 'zod';
import type { DueWork } from '../events/due.ts';
import type { ProjectedEntity } from '../events/projection.ts';
import type { Recount } from '../events/recount.ts';
import type { Reaction } from '../events/react.ts';
import type { ErasureStep } from './erasure.ts';
import type { EventSpec } from './event.ts';
import type { FeedEvent } from './logged-event.ts';
import type { JournalRule, RestoreStep } from './journal.ts';
import type { Queue } from './queue.ts';
import type { BucketSpec, ProtectedEntity, ScheduleSpec, Use } from './resource.ts';
import type { RouteSpec } from './route.ts';
import type { SiteSpec } from './site.ts';
import type { StatusOwner } from './status-owner.ts';
import type { WebhookData } from './webhook-data.ts';

/** A context: which Lambdas it has, what wakes each, what each may touch. */
export interface Context {
  name: string;
  purpose: string;
  /** The chapter of the API's document that its operations are in; by default the context's name. */
  chapter?: string;
  functions: readonly FunctionSpec[];
  events?: readonly EventSpec[];
  /** What it writes to the event log beside its events. */
  logged?: readonly FeedEvent[];
  buckets?: readonly BucketSpec[];
  sites?: readonly SiteSpec[];
  /** What follows from stored changes; the stream consumer (functions/change-stream) carries it out. From the role file `reactions.ts`. */
  reactions?: readonly Reaction[];
  /** Entities whose rows the stream consumer maintains. From the role file `projections.ts`. */
  projections?: readonly ProjectedEntity[];
  /** How each projection is recounted from the items that it follows. From the role file `recounts.ts`. */
  recounts?: readonly Recount[];
  /** Work that waits for its time in the due index; the dispatcher enqueues it. From the role file `due.ts`. */
  due?: readonly DueWork[];
  /** Provider statuses of this context's own sends, by reference prefix; messaging passes them on. From the role file `statuses.ts`. */
  statuses?: readonly StatusOwner[];
  /** What webhook endpoints get of its events beyond their ids; webhooks sends it. From the role file `webhook-data.ts`. */
  webhookData?: readonly WebhookData[];
  /** Which personal data of a contact it holds, and how that ends; the walk of functions/erasures carries it out. From the role file `erasure.ts`. */
  erasure?: readonly ErasureStep[];
  /** Which of its changes a restored table must not have forgotten; the stream consumer writes them to the journal. From the role file `journal.ts`. */
  journal?: readonly JournalRule[];
  /** How those come back into a restored table; the operator's command carries it out. From the role file `restores.ts`. */
  restores?: readonly RestoreStep[];
}

export type FunctionSpec = HttpFunction | QueueFunction | StreamFunction | ScheduleFunction | AuthorizerFunction;

interface FunctionBase {
  /** Unique in the product: `contacts-http`. */
  name: string;
  /** The module, from the repository's root, that exports `handler`. */
  entry: string;
  uses: readonly Use[];
  /** Credentials and pointers across companies that it creates or changes; its role is denied the others (docs/decisions/protected-partitions.md). */
  mints?: readonly ProtectedEntity[];
  /** It sends messages or codes: its concurrency is reserved, whatever others use. */
  hasFloor?: true;
  /** The percent of the account's concurrency that is reserved for it, where it is not that of its kind: by the rate at which it is called. */
  share?: number;
  timeoutSeconds?: number;
  memoryMb?: number;
  /** Plain settings with their defaults; the operator overrides them at deploy, the laptop by its own environment. */
  settings?: Readonly<Record<string, string>>;
  /** Variables that hold the URL of another function, by that function's name; no slash at its end. */
  urls?: Readonly<Record<string, string>>;
  /** Files that lie beside the bundle: name and source, from the repository's root. */
  files?: Readonly<Record<string, string>>;
}

/** Answers routes; those `via: 'url'` through the function's own URL as well. `fallback` takes what no route matches. */
export interface HttpFunction extends FunctionBase {
  trigger: 'http';
  routes: Readonly<Record<string, RouteSpec>>;
  /**
   * The paths by which the API leads to several of its routes: a pattern for those `via: 'url'`, or `{rest+}` for all below a path. By default
   * each route has its own; the API takes at most 300.
   */
  apiPaths?: readonly string[];
  fallback?: boolean;
}

/** Works off a queue, several messages a batch, each alone. */
export interface QueueFunction extends FunctionBase {
  trigger: 'queue';
  queue: Queue<z.ZodType>;
  batchSize: number;
  maxConcurrency: number;
  batchWindowSeconds?: number;
}

/** Reads the table's change stream. There is one. */
export interface StreamFunction extends FunctionBase {
  trigger: 'stream';
  /**
   * The kinds of items that lead to nothing: the stream does not wake it for them, unless they became due. For all others it does, also for those
   * that only another version knows.
   */
  quiet: readonly string[];
  /** Kinds of which only new items wake it. */
  newOnly?: readonly string[];
  batchSize: number;
}

export interface ScheduleFunction extends FunctionBase {
  trigger: 'schedule';
  schedule: ScheduleSpec;
}

/** Says who may subscribe to the doorbell (docs/decisions/doorbell.md). There is one. */
export interface AuthorizerFunction extends FunctionBase {
  trigger: 'authorizer';
}

export const context = <const C extends Context>(spec: C): C => spec;
