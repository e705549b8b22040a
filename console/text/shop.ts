import { catalogue } from './text.ts';

export const shopText = catalogue({
  en: () => import('./en/shop.ts'),
  de: () => import('./de/shop.ts'),
  ar: () => import('./ar/shop.ts'),
});
