export const en = {
  ownNumber: 'Shared the own phone number',
  advertisement: 'From an advertisement',
  product: (product: string) => `About the product ${product}`,
} as const;
