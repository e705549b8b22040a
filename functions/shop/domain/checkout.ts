import * as z from 'zod';
import type { SaidCheckout } from '../contract/said.ts';
import { count, decimal, instant, listOf, part, words, yes } from './payload.ts';
import { webUrl } from './storeplatform.ts';

/** Checkout providers' words on a cart (S24): our own form, and those whose payloads are known. */
export const readCheckout = (body: Readonly<Record<string, unknown>>, topic: string, receivedAt: number): SaidCheckout | undefined => {
  const read = shape.parse({ ...body, ...(isObject(body['data']) ? body['data'] : {}) });
  const state = states.get(topic.toLowerCase().replace(/[._/]/g, '.')) ?? (topic === '' ? 'open' : undefined);
  const own = read.checkout;
  const ids = [read.checkout_id, own?.id, own?.token, read.token, read.cart_token, read.request_id, read.order_id].filter(
    (id) => id !== undefined,
  );
  if (state === undefined || ids.length === 0) return undefined;
  const person = read.customer ?? read.user_details;
  const items = [...read.items, ...read.line_items, ...read.variants, ...(own?.items ?? [])];
  const url =
    read.cart_url ??
    read.abandoned_checkout_url ??
    read.checkout_url ??
    read.abc_url ??
    read.redirectUrl ??
    read.note_attributes.find(({ name }) => name === 'shopflo_checkout_url')?.value;
  return {
    kind: 'checkout',
    source: 'checkout',
    checkoutIds: [...new Set(ids)],
    state,
    at: read.updated_at ?? read.created_at ?? receivedAt,
    customerName: person?.name ?? ([person?.first_name, person?.last_name].filter((name) => name !== undefined).join(' ') || undefined),
    customerPhone: person?.phone ?? read.phone,
    phoneCountry: person?.country,
    customerEmail: person?.email ?? read.email,
    url: webUrl(url),
    total: read.total_amount ?? read.total_price ?? read.line_items_total,
    currency: read.currency,
    itemNames: items.flatMap(({ name, title }) => name ?? title ?? []),
    ...(person?.marketing_consent === false ? { refused: true as const } : {}),
  };
};

const states: ReadonlyMap<string, SaidCheckout['state']> = new Map([
  ['checkout.created', 'open'],
  ['checkout.updated', 'open'],
  ['checkouts.create', 'open'],
  ['checkouts.update', 'open'],
  ['checkouts.delete', 'gone'],
  ['checkout.abandoned', 'abandoned'],
  ['checkout.completed', 'completed'],
  ['order.completed', 'completed'],
]);

const item = z.object({ name: words, title: words, quantity: count });

const shape = z.object({
  checkout_id: words,
  token: words,
  cart_token: words,
  request_id: words,
  order_id: words,
  email: words,
  phone: words,
  cart_url: words,
  abandoned_checkout_url: words,
  checkout_url: words,
  abc_url: words,
  redirectUrl: words,
  currency: words,
  total_amount: decimal,
  total_price: decimal,
  line_items_total: decimal,
  created_at: instant,
  updated_at: instant,
  items: listOf(item),
  line_items: listOf(item),
  variants: listOf(item),
  note_attributes: listOf(z.object({ name: words, value: words })),
  customer: part({ name: words, first_name: words, last_name: words, email: words, phone: words, country: words, marketing_consent: yes }),
  user_details: part({
    name: words,
    first_name: words,
    last_name: words,
    email: words,
    phone: words,
    country: words,
    marketing_consent: yes,
  }),
  checkout: part({ id: words, token: words, items: listOf(item) }),
});

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
