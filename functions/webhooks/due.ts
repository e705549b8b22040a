import { dueEndpoint } from './contract/queue.ts';

export const due = [dueEndpoint];
