import * as z from 'zod';
import { type NoticeTopic, noticeTopics, type PlatformNotice } from '../contract/platform-event.ts';
import { parseShopDomain } from './installation.ts';
import { listOf, optionalObject, optionalText } from './payload.ts';

export const isNoticeTopic = (topic: string): topic is NoticeTopic => (noticeTopics as readonly string[]).includes(topic);

/**
 * Reads a notice of the store platform from its signed body. The topic comes from a header, which the signature does not cover, so a body
 * of another topic gives undefined: an order, a request for data and a redaction cannot be taken for each other. The shop is the body's.
 * https://shopify.dev/docs/apps/build/compliance/privacy-law-compliance
 */
export const readNotice = (
  topic: NoticeTopic,
  body: Readonly<Record<string, unknown>>,
  at: number,
): Omit<PlatformNotice, 'connectionId'> | undefined => {
  if (!hasShapeOf(topic, body)) return undefined;
  const read = noticeShape.parse(body);
  const shop = (topic === 'app/uninstalled' ? [read.myshopify_domain, read.domain] : [read.shop_domain])
    .map((domain) => parseShopDomain(domain ?? null))
    .find((domain) => domain !== undefined);
  if (shop === undefined) return undefined;
  return {
    kind: 'notice',
    topic,
    shop,
    email: read.customer?.email,
    phone: read.customer?.phone,
    orderIds: [...read.orders_to_redact, ...read.orders_requested].filter((id) => id !== undefined),
    at,
  };
};

/** The fields by which the bodies of the topics differ. */
function hasShapeOf(topic: NoticeTopic, body: Readonly<Record<string, unknown>>): boolean {
  const has = (field: string): boolean => field in body;
  switch (topic) {
    case 'app/uninstalled':
      return !has('shop_domain') && !has('customer') && !has('line_items');
    case 'shop/redact':
      return has('shop_domain') && !['customer', 'orders_to_redact', 'orders_requested', 'data_request'].some(has);
    case 'customers/redact':
      return has('shop_domain') && has('customer') && !has('orders_requested') && !has('data_request');
    case 'customers/data_request':
      return has('shop_domain') && has('customer') && !has('orders_to_redact');
  }
}

const noticeShape = z.object({
  shop_domain: optionalText,
  myshopify_domain: optionalText,
  domain: optionalText,
  customer: optionalObject({ email: optionalText, phone: optionalText }),
  orders_to_redact: listOf(optionalText),
  orders_requested: listOf(optionalText),
});
