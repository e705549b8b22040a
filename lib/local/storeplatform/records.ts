/** Records of the platform's GraphQL API with every field that the documentation gives the types that the product requests. */
export const platformProduct = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: `gid://shopify/Product/${id}`,
  legacyResourceId: id,
  title: `Product ${id}`,
  descriptionHtml: '<p>Soft.</p>',
  vendor: 'Acme',
  productType: 'Shirts',
  status: 'ACTIVE',
  updatedAt: '2026-11-01T10:00:00Z',
  tracksInventory: true,
  featuredMedia: { preview: { image: { url: `https://cdn.example.com/${id}.png` } } },
  variants: { nodes: [{ price: '19.99', compareAtPrice: '24.99', inventoryQuantity: 5, sku: `SKU-${id}` }] },
  ...more,
});

const money = (amount: string) => ({ shopMoney: { amount, currencyCode: 'USD' } });

export const platformOrder = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: `gid://shopify/Order/${id}`,
  legacyResourceId: id,
  name: `#${id}`,
  email: 'mia@example.com',
  phone: '+14155552671',
  currencyCode: 'USD',
  createdAt: '2026-11-01T10:00:00Z',
  processedAt: '2026-11-01T10:00:00Z',
  updatedAt: '2026-11-01T11:00:00Z',
  cancelledAt: null,
  displayFinancialStatus: 'PAID',
  displayFulfillmentStatus: 'FULFILLED',
  currentTotalPriceSet: money('29.98'),
  currentSubtotalPriceSet: money('24.98'),
  totalShippingPriceSet: money('5.0'),
  totalDiscountsSet: money('0.0'),
  totalTaxSet: money('0.0'),
  totalRefundedSet: money('0.0'),
  customer: { displayName: 'Mia Wong', defaultPhoneNumber: { phoneNumber: '+14155552671' } },
  shippingAddress: {
    name: 'Mia Wong',
    address1: '1 Elm St',
    address2: null,
    city: 'Oakland',
    province: 'California',
    zip: '94601',
    country: 'United States',
    countryCodeV2: 'US',
    phone: null,
  },
  lineItems: {
    nodes: [
      {
        id: 'gid://shopify/LineItem/9',
        name: 'Tee - Blue',
        sku: 'T-B',
        quantity: 2,
        originalUnitPriceSet: money('12.49'),
        product: { legacyResourceId: '1' },
      },
    ],
  },
  fulfillments: [
    {
      legacyResourceId: `7${id}`,
      status: 'SUCCESS',
      displayStatus: 'IN_TRANSIT',
      updatedAt: '2026-11-01T11:00:00Z',
      trackingInfo: [{ company: 'UPS', number: `1Z${id}`, url: `https://ups.example/1Z${id}` }],
    },
  ],
  ...more,
});
