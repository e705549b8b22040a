import { consume } from '../../../shared/queue/consume.ts';
import { webhookEventsQueue } from '../contract/queue.ts';
import { queueEvent } from '../service/queueing.ts';

export const handler = consume(webhookEventsQueue, queueEvent);
