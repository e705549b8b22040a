import { catalogue } from './text.ts';

export const phoneText = catalogue({
  en: async () => (await import('./en/local-phone.ts')).en,
  de: async () => (await import('./de/local-phone.ts')).de,
  ar: async () => (await import('./ar/local-phone.ts')).ar,
});
