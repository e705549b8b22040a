import { consume } from '../../../shared/queue/consume.ts';
import { deliveriesQueue } from '../contract/delivery.ts';
import { applyDelivery } from '../service/apply-delivery.ts';

export const handler = consume(deliveriesQueue, ({ company_id, key, event }) => applyDelivery(company_id, key, event));
