import { platformOrder, platformProduct } from '../../lib/local/storeplatform/records.ts';
import type { Random } from '../support/random.ts';
import { cartPayload, orderPayload, productPayload } from './platform-payloads.ts';

/** The calls of a store platform in one run, in the order of their events, and the state of its store after them. */
export interface PlatformCall {
  topic: string;
  body: unknown;
  /** The platform's delivery id and trigger time, the same for every repetition. */
  headers: Record<string, string>;
}
export interface PlatformScript {
  calls: PlatformCall[];
  products: { externalId: string; price: string; isGone: boolean }[];
  orders: { externalId: string; number: string; phone: string; status: string; total: string; tracking: string | undefined }[];
  carts: { phone: string; reminder: string | undefined }[];
  /** A customer who requests redaction, with their order. The call follows the order. */
  forgotten: { phone: string; externalId: string; call: PlatformCall };
}

/** Phone numbers are unique to a run. */
export const phoneOf = (seed: number, nth: number): string => `4915${200_000_000 + seed * 10 + nth}`;

export const writePlatformScript = (seed: number, random: Random, startedAt: number): PlatformScript => {
  const leaver = { phone: phoneOf(seed, 8), externalId: String(7_000_000_000 + seed * 10 + 8) };
  const truth: PlatformScript = {
    calls: [],
    products: [],
    orders: [],
    carts: [],
    forgotten: { ...leaver, call: redactionCall(seed, leaver) },
  };
  const base = startedAt - 3_600_000;
  const at = (nth: number): string => new Date(base + nth * 1_000).toISOString();
  const pick = (most: number): number => Math.floor(random() * most);
  let clock = 0;
  const say = (topic: string, body: unknown): void => {
    const headers = { 'x-shopify-webhook-id': `w-${seed}-${truth.calls.length}`, 'x-shopify-triggered-at': at(++clock) };
    truth.calls.push({ topic, body, headers });
  };
  for (let nth = 0; nth < 2; nth++) {
    const externalId = String(8_000_000_000_000_000 + seed * 10 + nth);
    const versions = 1 + pick(3);
    let price = '';
    for (let version = 1, changedAt = 0; version <= versions; version++) {
      // Of two changes within one second, the later report wins.
      if (version === 1 || random() < 0.8) changedAt = clock + 1;
      price = `${version}.${10 + nth}`;
      say(version === 1 ? 'products/create' : 'products/update', productPayload(externalId, at(changedAt), { variants: [{ price }] }));
    }
    const isGone = random() < 0.25;
    if (isGone) say('products/delete', { id: externalId });
    truth.products.push({ externalId, price, isGone });
  }
  for (let nth = 0; nth < 3; nth++) {
    const phone = phoneOf(seed, nth % 2);
    const known = { externalId: String(7_000_000_000 + seed * 10 + nth), number: `#P${seed}-${nth}`, phone };
    const versions = 1 + pick(3);
    let tracking: string | undefined;
    const order = { ...known, status: '', total: '', tracking };
    let state = states[0];
    for (let version = 1; version <= versions; version++) {
      state = states[pick(states.length)] ?? states[0];
      order.total = `${version}.00`;
      say(state.topic ?? (version === 1 ? 'orders/create' : 'orders/updated'), {
        ...orderPayload(order.externalId, at(clock + 1), { name: order.number, phone: `+${phone}`, customer: { first_name: 'Asha' } }),
        ...state.more,
        total_price: order.total,
        processed_at: new Date(startedAt).toISOString(),
      });
    }
    for (let parcels = random() < 0.5 ? 0 : 1 + pick(2), parcel = 1; parcel <= parcels; parcel++) {
      order.tracking = tracking = `T${seed}-${nth}-${parcel}`;
      say(parcel === 1 ? 'fulfillments/create' : 'fulfillments/update', {
        id: `${order.externalId}1`,
        order_id: order.externalId,
        status: 'success',
        tracking_number: tracking,
        updated_at: at(clock + 1),
      });
    }
    const isOnlyPaid = state.status === 'Pending' || state.status === 'Processing';
    truth.orders.push({ ...order, status: tracking !== undefined && isOnlyPaid ? 'Shipped' : state.status });
  }
  for (const [nth, end] of (['left', 'ordered', random() < 0.5 ? 'completed' : 'gone'] as const).entries()) {
    const phone = phoneOf(seed, 5 + nth);
    const token = `c${seed}-${nth}`;
    const cartAt = (version: number): string => new Date(startedAt + version * 1_000).toISOString();
    const cart = (version: number, more: object = {}) =>
      cartPayload(token, phone, cartAt(version), { email: `${token}@example.com`, abandoned_checkout_url: urlOf(token, version), ...more });
    const versions = 1 + pick(3);
    for (let version = 1; version <= versions; version++) say(version === 1 ? 'checkouts/create' : 'checkouts/update', cart(version));
    if (end === 'completed') say('checkouts/update', cart(versions + 1, { completed_at: cartAt(versions + 1) }));
    if (end === 'gone') say('checkouts/delete', cart(versions + 1));
    if (end === 'ordered') {
      const known = { externalId: String(7_000_000_000 + seed * 10 + 9), number: `#P${seed}-9`, phone, total: '12.00' };
      truth.orders.push({ ...known, status: 'Pending', tracking: undefined });
      const more = { name: known.number, phone: `+${phone}`, checkout_token: token, total_price: known.total };
      say('orders/create', orderPayload(known.externalId, at(clock + 1), { ...more, processed_at: new Date(startedAt).toISOString() }));
    }
    truth.carts.push({ phone, reminder: end === 'left' ? `cart_left|Mia|${urlOf(token, versions)}` : undefined });
  }
  say('orders/create', orderPayload(leaver.externalId, at(clock + 1), { name: `#P${seed}-8`, phone: `+${leaver.phone}` }));
  return truth;
};

const redactionCall = (seed: number, { externalId }: { externalId: string }): PlatformCall => ({
  topic: 'customers/redact',
  body: { customer: { email: `p${seed}-8@example.com` }, orders_to_redact: [externalId] },
  headers: { 'x-shopify-webhook-id': `f-${seed}` },
});

/** The store as the platform's API shows it to an import: the records of the calls, and some that no call contains. */
export const storeRecords = (seed: number, { products, calls }: PlatformScript) => {
  const lastOf = (id: string): string =>
    calls.map(({ body }) => body as { id: unknown; updated_at?: string }).findLast((each) => each.id === id)?.updated_at ?? '';
  const known = products
    .filter(({ isGone }) => !isGone)
    .map(({ externalId, price }) =>
      platformProduct(externalId, {
        updatedAt: lastOf(externalId),
        variants: { nodes: [{ price, compareAtPrice: null, inventoryQuantity: 7, sku: 'S' }] },
      }),
    );
  const own = Array.from({ length: 3 }, (_, nth) => String(6_000_000_000 + seed * 10 + nth));
  return {
    products: [...own.map((id) => platformProduct(id)), ...known],
    orders: own.map((id) => platformOrder(id, { name: `#I${id}`, phone: `+${phoneOf(seed, 9)}` })),
    own,
  };
};

const urlOf = (token: string, version: number): string => `https://shop.example/c/${token}/${version}`;

const states: readonly [State, ...State[]] = [
  { status: 'Pending', more: { financial_status: 'pending' } },
  { status: 'Processing', more: { financial_status: 'paid' } },
  { status: 'Fulfilled', more: { financial_status: 'paid', fulfillment_status: 'fulfilled' }, topic: 'orders/fulfilled' },
  { status: 'Cancelled', more: { cancelled_at: '2026-01-01T00:00:00Z' }, topic: 'orders/cancelled' },
];
interface State {
  status: string;
  more: object;
  topic?: string;
}
