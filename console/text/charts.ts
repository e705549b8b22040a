import { catalogue } from './text.ts';

/** Texts of charts. */
export const chartsText = catalogue({
  en: () => import('./en/charts.ts'),
  de: () => import('./de/charts.ts'),
  ar: () => import('./ar/charts.ts'),
});
