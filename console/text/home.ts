import { catalogue } from './text.ts';

export const homeText = catalogue({
  en: async () => (await import('./en/home.ts')).en,
  de: async () => (await import('./de/home.ts')).de,
  ar: async () => (await import('./ar/home.ts')).ar,
});
