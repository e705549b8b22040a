import { catalogue } from './text.ts';

/** Texts of charts. */
export const chartsText = catalogue({
  en: async () => (await import('./en/charts.ts')).en,
  de: async () => (await import('./de/charts.ts')).de,
  ar: async () => (await import('./ar/charts.ts')).ar,
});
