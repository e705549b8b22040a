import { plural } from '../text.ts';

export const en = {
  ownNumber: 'Shared the own phone number',
  advertisement: 'From an advertisement',
  product: (product: string) => `About the product ${product}`,
  order: (count: number) => `Order, ${count} ${plural('en', count, { one: 'item', other: 'items' })}`,
  requestsLocation: 'A request for the location',
  requestsPhone: 'A request for the phone number',
  requestsAddress: 'A request for an address',
  sentCatalog: 'Shows the catalog',
  sentProducts: (count: number) => plural('en', count, { one: 'Shows a product', other: `Shows ${count} products` }),
} as const;
