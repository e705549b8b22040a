import { dueSnooze } from './contract/queue.ts';

export const due = [dueSnooze];
