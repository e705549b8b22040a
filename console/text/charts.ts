import { catalogue } from './text.ts';

/** Texts of charts. */
export const chartsText = catalogue({
  en: async () => (await import('./en/first-page.ts')).charts,
  de: async () => (await import('./de/first-page.ts')).charts,
  ar: async () => (await import('./ar/first-page.ts')).charts,
});
