import * as z from 'zod';
import type { PlatformEvent } from '../contract/platform-event.ts';
import { decimal, instant, listOf, optionalBoolean, optionalObject, optionalText, webUrl } from './payload.ts';
import type { PlatformWebhook } from './platform-webhook.ts';
import { address } from './storeplatform-order.ts';

const platform = 'storeplatform' as const;

const checkoutShape = z.object({
  id: optionalText,
  token: optionalText,
  cart_token: optionalText,
  email: optionalText,
  phone: optionalText,
  sms_marketing_phone: optionalText,
  buyer_accepts_marketing: optionalBoolean,
  buyer_accepts_sms_marketing: optionalBoolean,
  abandoned_checkout_url: optionalText,
  currency: optionalText,
  total_price: decimal,
  updated_at: instant,
  created_at: instant,
  completed_at: optionalText,
  customer: optionalObject({ first_name: optionalText, last_name: optionalText, phone: optionalText, email: optionalText }),
  shipping_address: address,
  billing_address: address,
  line_items: listOf(z.object({ title: optionalText, name: optionalText })),
});

export function normalizeShopifyCheckout({ body, topic, receivedAt }: PlatformWebhook): PlatformEvent | undefined {
  const read = checkoutShape.parse(body);
  const checkoutIds = [read.token, read.id, read.cart_token].filter((id) => id !== undefined);
  if (checkoutIds.length === 0) return undefined;
  const customerName = [read.customer?.first_name, read.customer?.last_name].filter((name) => name !== undefined).join(' ');
  return {
    kind: 'checkout',
    source: platform,
    checkoutIds,
    state: topic === 'checkouts/delete' ? 'deleted' : read.completed_at === undefined ? 'open' : 'completed',
    at: read.updated_at ?? receivedAt,
    customerName: customerName || read.shipping_address?.name,
    customerPhone:
      read.phone ?? read.sms_marketing_phone ?? read.shipping_address?.phone ?? read.billing_address?.phone ?? read.customer?.phone,
    phoneCountry: read.shipping_address?.country_code ?? read.billing_address?.country_code,
    customerEmail: read.email ?? read.customer?.email,
    url: webUrl(read.abandoned_checkout_url),
    total: read.total_price,
    currency: read.currency,
    itemNames: read.line_items.flatMap(({ name, title }) => name ?? title ?? []),
    ...(read.buyer_accepts_sms_marketing === false || read.buyer_accepts_marketing === false ? { marketingDeclined: true as const } : {}),
  };
}
