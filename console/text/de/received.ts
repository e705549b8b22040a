import type { Translated } from '../text.ts';
import type { en } from '../en/received.ts';

export const de: Translated<typeof en> = {
  ownNumber: 'Hat die eigene Telefonnummer geteilt',
  advertisement: 'Über eine Anzeige',
  product: (product: string) => `Zum Produkt ${product}`,
};
