import { plural, type Translated } from '../text.ts';
import type { en } from '../en/received.ts';

export const de: Translated<typeof en> = {
  ownNumber: 'Hat die eigene Telefonnummer geteilt',
  advertisement: 'Über eine Anzeige',
  product: (product: string) => `Zum Produkt ${product}`,
  order: (count) => `Bestellung, ${count} ${plural('de', count, { one: 'Artikel', other: 'Artikel' })}`,
  requestsLocation: 'Eine Bitte um den Standort',
  requestsPhone: 'Eine Bitte um die Telefonnummer',
  requestsAddress: 'Eine Bitte um eine Adresse',
  sentCatalog: 'Zeigt den Katalog',
  sentProducts: (count) => plural('de', count, { one: 'Zeigt ein Produkt', other: `Zeigt ${count} Produkte` }),
};
