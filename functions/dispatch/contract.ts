import type { DueWork } from '../../shared/events/due.ts';
import { dueMessage, dueParkedStatus } from '../messaging/contract/queue.ts';

/** Every kind of due work, each declared by the context that owns it. */
export const dueWorks: readonly DueWork[] = [dueMessage, dueParkedStatus];

export const dueQueues = [...new Set(dueWorks.map((work) => work.queue))];
