import * as z from 'zod';
import type { CheckoutUpdate } from '../contract/platform-event.ts';
import { count, decimal, instant, listOf, optionalObject, optionalText, optionalBoolean, webUrl } from './payload.ts';

/** Normalizes the payloads of checkout providers: our own form, and those of the providers in the samples. */
export const normalizeCheckout = (
  body: Readonly<Record<string, unknown>>,
  topic: string,
  receivedAt: number,
): CheckoutUpdate | undefined => {
  const read = shape.parse({ ...body, ...(isObject(body['data']) ? body['data'] : {}) });
  const state = states.get(topic.toLowerCase().replace(/[._/]/g, '.')) ?? (topic === '' ? 'open' : undefined);
  const own = read.checkout;
  const ids = [read.checkout_id, own?.id, own?.token, read.token, read.cart_token, read.request_id, read.order_id].filter(
    (id) => id !== undefined,
  );
  if (state === undefined || ids.length === 0) return undefined;
  const customer = read.customer ?? read.user_details;
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
    customerName: customer && nameOf(customer),
    customerPhone: customer?.phone ?? read.phone,
    phoneCountry: customer?.country,
    customerEmail: customer?.email ?? read.email,
    url: webUrl(url),
    total: read.total_amount ?? read.total_price ?? read.line_items_total,
    currency: read.currency,
    itemNames: items.flatMap(({ name, title }) => name ?? title ?? []),
    ...(customer?.marketing_consent === false ? { marketingDeclined: true as const } : {}),
  };
};

const states: ReadonlyMap<string, CheckoutUpdate['state']> = new Map([
  ['checkout.created', 'open'],
  ['checkout.updated', 'open'],
  ['checkouts.create', 'open'],
  ['checkouts.update', 'open'],
  ['checkouts.delete', 'deleted'],
  ['checkout.abandoned', 'abandoned'],
  ['checkout.completed', 'completed'],
  ['order.completed', 'completed'],
]);

const item = z.object({ name: optionalText, title: optionalText, quantity: count });

const customerFields = {
  name: optionalText,
  first_name: optionalText,
  last_name: optionalText,
  firstname: optionalText,
  lastname: optionalText,
  email: optionalText,
  phone: optionalText,
  country: optionalText,
  marketing_consent: optionalBoolean,
};

/** A whole name, or its parts in the two spellings that providers use. */
function nameOf(
  customer: { [part in 'name' | 'first_name' | 'last_name' | 'firstname' | 'lastname']?: string | undefined },
): string | undefined {
  const parts = [customer.first_name ?? customer.firstname, customer.last_name ?? customer.lastname];
  return customer.name ?? (parts.filter((part) => part !== undefined).join(' ') || undefined);
}

const shape = z.object({
  checkout_id: optionalText,
  token: optionalText,
  cart_token: optionalText,
  request_id: optionalText,
  order_id: optionalText,
  email: optionalText,
  phone: optionalText,
  cart_url: optionalText,
  abandoned_checkout_url: optionalText,
  checkout_url: optionalText,
  abc_url: optionalText,
  redirectUrl: optionalText,
  currency: optionalText,
  total_amount: decimal,
  total_price: decimal,
  line_items_total: decimal,
  created_at: instant,
  updated_at: instant,
  items: listOf(item),
  line_items: listOf(item),
  variants: listOf(item),
  note_attributes: listOf(z.object({ name: optionalText, value: optionalText })),
  customer: optionalObject(customerFields),
  user_details: optionalObject(customerFields),
  checkout: optionalObject({ id: optionalText, token: optionalText, items: listOf(item) }),
});

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
