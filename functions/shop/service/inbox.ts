import { isoTime } from '../../../shared/runtime/clock.ts';
import type { CartRecord, TestCallRecord } from '../contract/inbox.ts';
import { listNewestCarts } from '../store/cart.ts';
import { listNewestTestCalls } from '../store/delivery.ts';

/** GET /shop/carts. About 30 RRU for 500. */
export const listCarts = async (companyId: number): Promise<CartRecord[]> =>
  (await listNewestCarts(companyId)).map((cart) => ({
    checkout_id: cart.checkoutIds[0] ?? null,
    source: cart.source,
    state: cart.state,
    customer_name: cart.name ?? null,
    customer_phone: cart.phone ?? null,
    customer_email: cart.email ?? null,
    items: cart.items,
    total_amount: cart.total ?? null,
    currency: cart.currency ?? null,
    cart_url: cart.url ?? null,
    reminded_at: cart.remindedAt === undefined ? null : isoTime(cart.remindedAt),
    reason: cart.withheld ?? null,
    updated_at: isoTime(cart.updatedAt),
  }));

/** GET /shop/test-calls. Up to 0.5 RRU for each 4 KB that was posted. */
export const listTestCalls = async (companyId: number): Promise<TestCallRecord[]> =>
  (await listNewestTestCalls(companyId)).map(({ event, signature, body, at }) => ({
    event: event === '' ? null : event,
    signature,
    body,
    received_at: isoTime(at),
  }));
