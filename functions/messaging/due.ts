import { dueMessage, dueParkedStatus } from './contract/queue.ts';

export const due = [dueMessage, dueParkedStatus];
