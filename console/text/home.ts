import { catalogue } from './text.ts';

export const homeText = catalogue({
  en: () => import('./en/home.ts'),
  de: () => import('./de/home.ts'),
  ar: () => import('./ar/home.ts'),
});
