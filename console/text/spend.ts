import { catalogue } from './text.ts';

export const spendText = catalogue({
  en: () => import('./en/spend.ts'),
  de: () => import('./de/spend.ts'),
  ar: () => import('./ar/spend.ts'),
});
