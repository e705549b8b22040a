import * as z from 'zod';
import type { PlatformEvent } from '../contract/platform-event.ts';
import { listOf, optionalObject, optionalText } from './payload.ts';
import type { PlatformWebhook } from './platform-webhook.ts';
import { normalizeShopifyCheckout } from './storeplatform-checkout.ts';
import { normalizeCarrierEvent, normalizeFulfilment, normalizeOrder } from './storeplatform-order.ts';
import { normalizeProduct, normalizeProductDeletion } from './storeplatform-product.ts';

/**
 * Normalizes the store platform's webhooks (Shopify payloads). Unknown topics and unusable payloads give undefined. The topic comes from a
 * header, which the signature does not cover, so it only selects the parser.
 */
export const normalizeStoreplatform = (webhook: PlatformWebhook): PlatformEvent | undefined => {
  switch (webhook.topic) {
    case 'products/create':
    case 'products/update':
      return normalizeProduct(webhook);
    case 'products/delete':
      return normalizeProductDeletion(webhook);
    case 'orders/create':
    case 'orders/updated':
    case 'orders/paid':
    case 'orders/cancelled':
    case 'orders/fulfilled':
    case 'orders/partially_fulfilled':
      return normalizeOrder(webhook);
    case 'fulfillments/create':
    case 'fulfillments/update':
      return normalizeFulfilment(webhook);
    case 'fulfillment_events/create':
      return normalizeCarrierEvent(webhook);
    case 'checkouts/create':
    case 'checkouts/update':
    case 'checkouts/delete':
      return normalizeShopifyCheckout(webhook);
    case 'app/uninstalled':
    case 'customers/data_request':
    case 'customers/redact':
    case 'shop/redact':
      return notice(webhook, webhook.topic);
    default:
      return undefined;
  }
};

function notice(
  { body, shop, triggeredAt, receivedAt }: PlatformWebhook,
  topic: 'app/uninstalled' | 'customers/data_request' | 'customers/redact' | 'shop/redact',
): PlatformEvent {
  const read = z
    .object({
      shop_domain: optionalText,
      myshopify_domain: optionalText,
      customer: optionalObject({ email: optionalText, phone: optionalText }),
      orders_to_redact: listOf(optionalText),
      orders_requested: listOf(optionalText),
    })
    .parse(body);
  return {
    kind: 'notice',
    topic,
    shop: shop ?? read.shop_domain ?? read.myshopify_domain,
    email: read.customer?.email,
    phone: read.customer?.phone,
    orderIds: [...read.orders_to_redact, ...read.orders_requested].filter((id) => id !== undefined),
    at: triggeredAt ?? receivedAt,
  };
}
