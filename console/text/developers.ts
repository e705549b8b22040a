import { catalogue } from './text.ts';

export const developersText = catalogue({
  en: () => import('./en/developers.ts'),
  de: () => import('./de/developers.ts'),
  ar: () => import('./ar/developers.ts'),
});
