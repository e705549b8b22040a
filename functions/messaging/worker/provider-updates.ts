import { consume } from '../../../shared/queue/consume.ts';
import { providerUpdatesQueue } from '../contract/queue.ts';
import { applyUpdate } from '../service/receive-webhook.ts';

export const handler = consume(providerUpdatesQueue, applyUpdate);
