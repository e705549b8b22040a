import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { cartStates, sources } from './stored.ts';

/** A cart in responses. */
export const cartRecord = z
  .object({
    checkout_id: z.string().nullable().meta({ description: 'The id of the checkout at its source.' }),
    source: z.enum(sources).meta({ description: 'Where it came from.' }),
    state: z.enum(cartStates).meta({
      description:
        'open: its timer runs. claimed: a reminder is being sent. abandoned: the time passed. recovered: ordered after a reminder. closed: ordered or emptied. expired: too old.',
    }),
    customer_name: z.string().nullable().meta({ description: 'The name of the customer, or null.' }),
    customer_phone: z.string().nullable().meta({ description: 'Digits with country code, or null.' }),
    customer_email: z.string().nullable().meta({ description: 'The email address, or null.' }),
    items: z.array(z.string()).meta({ description: 'Names of the products.' }),
    total_amount: z.string().nullable().meta({ description: 'The total, or null.' }),
    currency: z.string().nullable().meta({ description: 'ISO 4217 code, or null.' }),
    cart_url: z.string().nullable().meta({ description: 'Where the customer goes on, or null.' }),
    reminded_at: timestamp.nullable().meta({ description: 'When a reminder was sent, or null.' }),
    reason: z.string().nullable().meta({ description: 'Why no reminder was sent, as in cart.abandoned; or null.' }),
    updated_at: timestamp,
  })
  .meta({ id: 'Cart', description: 'A cart of a checkout or a store.' });
export type CartRecord = z.output<typeof cartRecord>;

/** A call of the test receiver in responses. */
export const testCallRecord = z
  .object({
    event: z.string().nullable().meta({ description: 'The event that the headers or the body named, or null.' }),
    signature: z.string().meta({ description: 'What became of its signature.' }),
    body: z.string().meta({ description: 'The body as it came, up to 50,000 characters.' }),
    received_at: timestamp.meta({ description: 'When it came.' }),
  })
  .meta({ id: 'ShopTestCall', description: 'A call of the test receiver.' });
export type TestCallRecord = z.output<typeof testCallRecord>;

const access = { limit: 'shop_read', effect: 'read', errors: [] } as const;

export const inboxRoutes = {
  listCarts: route({
    method: 'GET',
    path: '/api/v1/shop/carts',
    summary: 'List carts',
    description: 'Returns the 500 carts that changed last, newest first, with what became of their reminders. Carts are kept for 30 days.',
    caller: { kind: 'token', scope: 'shop:read', role: 'viewer' },
    answers: { 200: success(z.array(cartRecord)) },
    ...access,
  }),
  listTestCalls: route({
    method: 'GET',
    path: '/api/v1/shop/test-calls',
    summary: 'List calls of the test receiver',
    description:
      'Returns the last 50 calls of `/shop/webhooks/test`, newest first, to look at what a platform sends. They are kept for 24 hours.',
    caller: { kind: 'token', scope: 'shop:read', role: 'admin' },
    answers: { 200: success(z.array(testCallRecord)) },
    ...access,
  }),
};
