import { catalogue } from './text.ts';

export const shopText = catalogue({
  en: async () => (await import('./en/shop.ts')).en,
  de: async () => (await import('./de/shop.ts')).de,
  ar: async () => (await import('./ar/shop.ts')).ar,
});
