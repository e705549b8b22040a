import { catalogue } from './text.ts';

export const salesText = catalogue({
  en: () => import('./en/sales.ts'),
  de: () => import('./de/sales.ts'),
  ar: () => import('./ar/sales.ts'),
});
