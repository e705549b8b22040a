import type { PlatformEvent } from '../contract/platform-event.ts';
import type { PlatformWebhook } from './platform-webhook.ts';
import { normalizeShopifyCheckout } from './storeplatform-checkout.ts';
import { normalizeCustomer } from './storeplatform-customer.ts';
import { normalizeCarrierEvent, normalizeFulfilment, normalizeOrder } from './storeplatform-order.ts';
import { normalizeProduct, normalizeProductDeletion } from './storeplatform-product.ts';

/**
 * Normalizes the store platform's webhooks (Shopify payloads). Unknown topics and unusable payloads give undefined. The topic comes from a
 * header, which the signature does not cover, so it only selects the parser. Notices are read in platform-notice.ts.
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
    case 'customers/create':
    case 'customers/update':
    case 'customers_marketing_consent/update':
      return normalizeCustomer(webhook);
    default:
      return undefined;
  }
};
