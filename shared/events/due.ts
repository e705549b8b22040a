import type * as z from 'zod';
import type { Queue } from '../contract/queue.ts';

/** A kind of due work: the queue that receives it, and the message made from the reference in the item's due key. */
export interface DueWork {
  /** The name of the entity whose items are due. */
  name: string;
  purpose: string;
  queue: Queue;
  companyOf: (reference: string) => number;
  message: (reference: string, dueAtMs: number) => unknown;
}

export const dueWork = <S extends z.ZodType>(spec: {
  name: string;
  purpose: string;
  queue: Queue<S>;
  companyOf: (reference: string) => number;
  message: (reference: string, dueAtMs: number) => z.input<S>;
}): DueWork => spec as unknown as DueWork;
