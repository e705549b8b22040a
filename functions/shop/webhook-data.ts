import * as z from 'zod';
import type { EventData, WebhookData } from '../../shared/contract/webhook-data.ts';
import { getCartCustomer } from './service/cart-customers.ts';

export const webhookData: readonly WebhookData[] = [
  {
    of: ['cart.abandoned'],
    read: (companyId, _event, data) => ('cart_key' in data ? withCartCustomer(companyId, data) : Promise.resolve(data)),
  },
];

async function withCartCustomer(companyId: number, data: EventData): Promise<EventData> {
  const { cart_key, ...rest } = ofCart.parse(data);
  return { ...rest, ...(await getCartCustomer(companyId, cart_key)) };
}

const ofCart = z.looseObject({ cart_key: z.string() });
