import { consume } from '../../../shared/queue/consume.ts';
import { providerUpdatesQueue } from '../contract/queue.ts';
import { applyUpdate } from '../service/apply-update.ts';

export const handler = consume(providerUpdatesQueue, applyUpdate);
