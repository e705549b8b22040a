import type * as z from 'zod';
import type { QueueSpec } from './resource.ts';

/** A queue with the schema of its messages. Every message carries the request id that caused it, for the logs. */
export interface Queue<S extends z.ZodType = z.ZodType> extends QueueSpec {
  message: S;
}

/**
 * Declares a queue. Messages are references where the thing is stored, and the payload where the queue is its first store
 * (a webhook's update).
 */
export const queue = <S extends z.ZodType>(spec: Omit<Queue<S>, 'kind'>): Queue<S> => Object.assign(spec, { kind: 'queue' as const });

/** Seconds for which a queue hides a message from other workers: six times the work of a batch. */
export const visibilitySeconds = ({ workSeconds }: Pick<QueueSpec, 'workSeconds'>): number => 6 * workSeconds;

/**
 * When a message that failed is delivered again, in seconds: 2, 8, 32, 128, and at most what the queue hides it for. After its last delivery it
 * goes to the dead-letter queue at once.
 */
export const retryDelaySeconds = (attempt: number, { maxReceives, visibility }: { maxReceives: number; visibility: number }): number =>
  attempt >= maxReceives ? 1 : Math.min(visibility, 2 * 4 ** (attempt - 1));
