import { consume } from '../../../shared/queue/consume.ts';
import { webhookEventsQueue } from '../contract/queue.ts';
import { createDeliveries } from '../service/create-deliveries.ts';

export const handler = consume(webhookEventsQueue, createDeliveries);
