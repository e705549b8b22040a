import { catalogue } from './text.ts';

export const salesText = catalogue({
  en: async () => (await import('./en/sales.ts')).en,
  de: async () => (await import('./de/sales.ts')).de,
  ar: async () => (await import('./ar/sales.ts')).ar,
});
