import { consume } from '../../../shared/queue/consume.ts';
import { updatesQueue } from '../contract/queue.ts';
import { takeUpdate } from '../service/receiving.ts';

export const handler = consume(updatesQueue, takeUpdate);
