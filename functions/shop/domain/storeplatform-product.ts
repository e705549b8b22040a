import * as z from 'zod';
import type { PlatformEvent } from '../contract/platform-event.ts';
import { count, decimal, instant, isIdAlone, listOf, optionalObject, optionalText, truncate } from './payload.ts';
import type { PlatformWebhook } from './platform-webhook.ts';

const platform = 'storeplatform' as const;

const productShape = z.object({
  id: optionalText,
  title: optionalText,
  body_html: optionalText,
  vendor: optionalText,
  product_type: optionalText,
  status: optionalText,
  updated_at: instant,
  image: optionalObject({ src: optionalText }),
  images: listOf(z.object({ src: optionalText })),
  variants: listOf(
    z.object({
      price: decimal,
      compare_at_price: decimal,
      inventory_quantity: count,
      inventory_management: z.string().nullish(),
      sku: optionalText,
    }),
  ),
});

const productStatus = new Map([
  ['active', 'Active'],
  ['draft', 'Draft'],
  ['archived', 'Archived'],
] as const);

/** Price, stock and SKU are the first variant's, the image is the first one. */
export function normalizeProduct({ body, triggeredAt }: PlatformWebhook): PlatformEvent | undefined {
  const read = productShape.parse(body);
  if (read.id === undefined || read.title === undefined) return undefined;
  const variant = read.variants[0];
  return {
    kind: 'product',
    source: platform,
    externalId: read.id,
    at: read.updated_at,
    reportedAt: triggeredAt,
    name: truncate(read.title, 255),
    description: read.body_html === undefined ? null : truncate(read.body_html, 65_535),
    ...(variant?.price === undefined ? {} : { price: variant.price }),
    compareAt: variant?.compare_at_price ?? null,
    stock: variant?.inventory_quantity,
    ...(variant?.inventory_management === undefined ? {} : { isUncounted: variant.inventory_management === null }),
    status: productStatus.get((read.status ?? '').toLowerCase() as 'active'),
    image: read.image?.src ?? read.images[0]?.src ?? null,
    sku: variant?.sku ?? null,
    vendor: read.vendor ?? null,
    productType: read.product_type ?? null,
  };
}

/**
 * The payload has an id and no time, so the trigger time counts, or else the time of receipt. A body with anything else, such as a whole product or order, under this topic is
 * none: the topic is not signed.
 */
export function normalizeProductDeletion({ body, triggeredAt, receivedAt }: PlatformWebhook): PlatformEvent | undefined {
  const { id } = z.object({ id: optionalText }).parse(body);
  return id === undefined || !isIdAlone(body)
    ? undefined
    : { kind: 'product-deleted', source: platform, externalId: id, at: triggeredAt ?? receivedAt };
}
