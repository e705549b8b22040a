import * as z from 'zod';
import { defined } from '../../../shared/runtime/defined.ts';
import type { OrderUpdate, ProductUpdate } from '../contract/platform-event.ts';
import { isCurrency } from './money.ts';
import { count, truncate, decimal, instant, listOf, optionalBoolean, optionalObject, optionalText, webUrl } from './payload.ts';

/** Normalizes products and orders of the platform's GraphQL API, so that an import and a webhook give the same result. */

const money = optionalObject({ shopMoney: optionalObject({ amount: decimal }) });

const productNode = z.object({
  legacyResourceId: optionalText,
  title: optionalText,
  descriptionHtml: optionalText,
  vendor: optionalText,
  productType: optionalText,
  status: optionalText,
  updatedAt: instant,
  tracksInventory: optionalBoolean,
  featuredMedia: optionalObject({ preview: optionalObject({ image: optionalObject({ url: optionalText }) }) }),
  variants: optionalObject({
    nodes: listOf(z.object({ price: decimal, compareAtPrice: decimal, inventoryQuantity: count, sku: optionalText })),
  }),
});

export const productFields = `legacyResourceId title descriptionHtml vendor productType status updatedAt tracksInventory
  featuredMedia { preview { image { url } } } variants(first: 1) { nodes { price compareAtPrice inventoryQuantity sku } }`;

const productStatuses = new Map([
  ['ACTIVE', 'Active'],
  ['DRAFT', 'Draft'],
  ['ARCHIVED', 'Archived'],
  ['UNLISTED', 'Active'],
] as const);

export const normalizeProductNode = (node: unknown, currency: string | undefined): ProductUpdate | undefined => {
  const read = productNode.safeParse(node).data;
  if (read?.legacyResourceId === undefined || read.title === undefined) return undefined;
  const variant = read.variants?.nodes[0];
  return {
    kind: 'product',
    source: 'storeplatform',
    externalId: read.legacyResourceId,
    at: read.updatedAt,
    name: truncate(read.title, 255),
    description: read.descriptionHtml === undefined ? null : truncate(read.descriptionHtml, 65_535),
    ...(variant?.price === undefined ? {} : { price: variant.price }),
    compareAt: variant?.compareAtPrice ?? null,
    ...(currency === undefined ? {} : { currency }),
    stock: variant?.inventoryQuantity,
    ...(read.tracksInventory === undefined ? {} : { isUncounted: !read.tracksInventory }),
    status: productStatuses.get((read.status ?? '') as 'ACTIVE'),
    image: webUrl(read.featuredMedia?.preview?.image?.url) ?? null,
    sku: variant?.sku ?? null,
    vendor: read.vendor ?? null,
    productType: read.productType ?? null,
  };
};

const address = optionalObject({
  name: optionalText,
  address1: optionalText,
  address2: optionalText,
  city: optionalText,
  province: optionalText,
  zip: optionalText,
  country: optionalText,
  countryCodeV2: optionalText,
  phone: optionalText,
});

const orderNode = z.object({
  legacyResourceId: optionalText,
  name: optionalText,
  email: optionalText,
  phone: optionalText,
  currencyCode: optionalText,
  createdAt: instant,
  processedAt: instant,
  updatedAt: instant,
  cancelledAt: optionalText,
  displayFinancialStatus: optionalText,
  displayFulfillmentStatus: optionalText,
  currentTotalPriceSet: money,
  currentSubtotalPriceSet: money,
  totalShippingPriceSet: money,
  totalDiscountsSet: money,
  totalTaxSet: money,
  totalRefundedSet: money,
  customer: optionalObject({ displayName: optionalText, defaultPhoneNumber: optionalObject({ phoneNumber: optionalText }) }),
  shippingAddress: address,
  lineItems: optionalObject({
    nodes: listOf(
      z.object({
        id: optionalText,
        name: optionalText,
        sku: optionalText,
        quantity: count,
        originalUnitPriceSet: money,
        product: optionalObject({ legacyResourceId: optionalText }),
      }),
    ),
  }),
  fulfillments: listOf(
    z.object({
      legacyResourceId: optionalText,
      status: optionalText,
      displayStatus: optionalText,
      updatedAt: instant,
      trackingInfo: listOf(z.object({ company: optionalText, number: optionalText, url: optionalText })),
    }),
  ),
});

const amount = '{ shopMoney { amount } }';

export const orderFields = `legacyResourceId name email phone currencyCode createdAt processedAt updatedAt cancelledAt
  displayFinancialStatus displayFulfillmentStatus currentTotalPriceSet ${amount} currentSubtotalPriceSet ${amount}
  totalShippingPriceSet ${amount} totalDiscountsSet ${amount} totalTaxSet ${amount} totalRefundedSet ${amount}
  customer { displayName defaultPhoneNumber { phoneNumber } }
  shippingAddress { name address1 address2 city province zip country countryCodeV2 phone }
  lineItems(first: 50) { nodes { id name sku quantity originalUnitPriceSet ${amount} product { legacyResourceId } } }
  fulfillments(first: 10) { legacyResourceId status displayStatus updatedAt trackingInfo(first: 1) { company number url } }`;

/** GraphQL states by the names that webhooks use: fulfilled, partial, restocked. The other states do not concern parcels. */
const fulfilment = new Map([
  ['FULFILLED', 'fulfilled'],
  ['PARTIALLY_FULFILLED', 'partial'],
  ['RESTOCKED', 'restocked'],
]);

export const normalizeOrderNode = (node: unknown): OrderUpdate | undefined => {
  const read = orderNode.safeParse(node).data;
  if (read?.legacyResourceId === undefined || read.name === undefined || read.currencyCode === undefined || !isCurrency(read.currencyCode))
    return undefined;
  const { shippingAddress: shipTo } = read;
  const states = {
    financial_status: read.displayFinancialStatus?.toLowerCase(),
    fulfillment_status: fulfilment.get(read.displayFulfillmentStatus ?? ''),
    cancelled_at: read.cancelledAt,
  };
  const { countryCodeV2, phone: _phone, ...place } = shipTo ?? {};
  return {
    kind: 'order',
    source: 'storeplatform',
    externalId: read.legacyResourceId,
    at: read.updatedAt,
    number: truncate(read.name, 100),
    states: defined(states),
    shipments: read.fulfillments.flatMap((each) =>
      each.legacyResourceId === undefined
        ? []
        : [
            {
              id: each.legacyResourceId,
              at: each.updatedAt ?? read.updatedAt ?? 0,
              status: (each.status ?? 'unknown').toLowerCase(),
              shipmentStatus: each.displayStatus?.toLowerCase(),
              number: each.trackingInfo[0]?.number,
              url: webUrl(each.trackingInfo[0]?.url),
              courier: each.trackingInfo[0]?.company,
            },
          ],
    ),
    currency: read.currencyCode,
    total: read.currentTotalPriceSet?.shopMoney?.amount,
    subtotal: read.currentSubtotalPriceSet?.shopMoney?.amount,
    shipping: read.totalShippingPriceSet?.shopMoney?.amount,
    discount: read.totalDiscountsSet?.shopMoney?.amount,
    tax: read.totalTaxSet?.shopMoney?.amount,
    ...(read.totalRefundedSet?.shopMoney?.amount === undefined ? {} : { refunds: [read.totalRefundedSet.shopMoney.amount] }),
    customerName: read.customer?.displayName ?? shipTo?.name,
    customerPhone: read.phone ?? shipTo?.phone ?? read.customer?.defaultPhoneNumber?.phoneNumber,
    phoneCountry: countryCodeV2,
    customerEmail: read.email,
    items: (read.lineItems?.nodes ?? []).flatMap((line) => {
      const price = line.originalUnitPriceSet?.shopMoney?.amount;
      if (line.name === undefined || price === undefined) return [];
      const id = line.id?.split('/').at(-1);
      return [
        {
          id,
          productExternalId: line.product?.legacyResourceId,
          sku: line.sku,
          name: truncate(line.name, 1_000),
          quantity: line.quantity ?? 1,
          price,
        },
      ];
    }),
    address: shipTo === undefined ? undefined : defined({ ...place, country_code: countryCodeV2 }),
    placedAt: read.processedAt ?? read.createdAt,
    isImported: true,
  };
};
