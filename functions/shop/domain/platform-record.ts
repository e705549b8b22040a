import * as z from 'zod';
import type { SaidOrder, SaidProduct } from '../contract/said.ts';
import { isCurrency } from './money.ts';
import { count, cut, decimal, instant, listOf, part, words } from './payload.ts';
import { webUrl } from './storeplatform.ts';

/** Products and orders as the platform's GraphQL API gives them, in our words: an import says the same as a webhook would. */

const money = part({ shopMoney: part({ amount: decimal }) });

const productNode = z.object({
  legacyResourceId: words,
  title: words,
  descriptionHtml: words,
  vendor: words,
  productType: words,
  status: words,
  updatedAt: instant,
  featuredMedia: part({ preview: part({ image: part({ url: words }) }) }),
  variants: part({ nodes: listOf(z.object({ price: decimal, compareAtPrice: decimal, inventoryQuantity: count, sku: words })) }),
});

export const productFields = `legacyResourceId title descriptionHtml vendor productType status updatedAt
  featuredMedia { preview { image { url } } } variants(first: 1) { nodes { price compareAtPrice inventoryQuantity sku } }`;

const productStatuses = new Map([
  ['ACTIVE', 'Active'],
  ['DRAFT', 'Draft'],
  ['ARCHIVED', 'Archived'],
  ['UNLISTED', 'Active'],
] as const);

export const importedProduct = (node: unknown, currency: string | undefined): SaidProduct | undefined => {
  const read = productNode.safeParse(node).data;
  if (read?.legacyResourceId === undefined || read.title === undefined) return undefined;
  const variant = read.variants?.nodes[0];
  return {
    kind: 'product',
    source: 'storeplatform',
    externalId: read.legacyResourceId,
    at: read.updatedAt,
    name: cut(read.title, 255),
    description: read.descriptionHtml === undefined ? null : cut(read.descriptionHtml, 65_535),
    ...(variant?.price === undefined ? {} : { price: variant.price }),
    compareAt: variant?.compareAtPrice ?? null,
    ...(currency === undefined ? {} : { currency }),
    stock: variant?.inventoryQuantity,
    status: productStatuses.get((read.status ?? '') as 'ACTIVE'),
    image: webUrl(read.featuredMedia?.preview?.image?.url) ?? null,
    sku: variant?.sku ?? null,
    vendor: read.vendor ?? null,
    productType: read.productType ?? null,
  };
};

const address = part({
  name: words,
  address1: words,
  address2: words,
  city: words,
  province: words,
  zip: words,
  country: words,
  countryCodeV2: words,
  phone: words,
});

const orderNode = z.object({
  legacyResourceId: words,
  name: words,
  email: words,
  phone: words,
  currencyCode: words,
  createdAt: instant,
  processedAt: instant,
  updatedAt: instant,
  cancelledAt: words,
  displayFinancialStatus: words,
  displayFulfillmentStatus: words,
  currentTotalPriceSet: money,
  currentSubtotalPriceSet: money,
  totalShippingPriceSet: money,
  totalDiscountsSet: money,
  totalTaxSet: money,
  customer: part({ displayName: words, defaultPhoneNumber: part({ phoneNumber: words }) }),
  shippingAddress: address,
  lineItems: part({
    nodes: listOf(
      z.object({
        id: words,
        name: words,
        sku: words,
        quantity: count,
        originalUnitPriceSet: money,
        product: part({ legacyResourceId: words }),
      }),
    ),
  }),
  fulfillments: listOf(
    z.object({
      legacyResourceId: words,
      status: words,
      displayStatus: words,
      updatedAt: instant,
      trackingInfo: listOf(z.object({ company: words, number: words, url: words })),
    }),
  ),
});

const amount = '{ shopMoney { amount } }';

export const orderFields = `legacyResourceId name email phone currencyCode createdAt processedAt updatedAt cancelledAt
  displayFinancialStatus displayFulfillmentStatus currentTotalPriceSet ${amount} currentSubtotalPriceSet ${amount}
  totalShippingPriceSet ${amount} totalDiscountsSet ${amount} totalTaxSet ${amount}
  customer { displayName defaultPhoneNumber { phoneNumber } }
  shippingAddress { name address1 address2 city province zip country countryCodeV2 phone }
  lineItems(first: 50) { nodes { id name sku quantity originalUnitPriceSet ${amount} product { legacyResourceId } } }
  fulfillments(first: 10) { legacyResourceId status displayStatus updatedAt trackingInfo(first: 1) { company number url } }`;

/** The GraphQL words for what webhooks call fulfilled, partial and restocked; the others say nothing of parcels. */
const fulfilment = new Map([
  ['FULFILLED', 'fulfilled'],
  ['PARTIALLY_FULFILLED', 'partial'],
  ['RESTOCKED', 'restocked'],
]);

export const importedOrder = (node: unknown): SaidOrder | undefined => {
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
    number: cut(read.name, 100),
    states: given(states),
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
          name: cut(line.name, 1_000),
          quantity: line.quantity ?? 1,
          price,
        },
      ];
    }),
    address: shipTo === undefined ? undefined : given({ ...place, country_code: countryCodeV2 }),
    placedAt: read.processedAt ?? read.createdAt,
    isQuiet: true,
  };
};

const given = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
