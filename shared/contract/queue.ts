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
export const queue = <S extends z.ZodType>(spec: Omit<Queue<S>, 'kind'>): Queue<S> => ({ kind: 'queue', ...spec });
