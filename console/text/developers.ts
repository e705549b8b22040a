import { catalogue } from './text.ts';

export const developersText = catalogue({
  en: async () => (await import('./en/developers.ts')).en,
  de: async () => (await import('./de/developers.ts')).de,
  ar: async () => (await import('./ar/developers.ts')).ar,
});
