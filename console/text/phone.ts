import { catalogue } from './text.ts';

export const phoneText = catalogue({
  en: () => import('./en/local-phone.ts'),
  de: () => import('./de/local-phone.ts'),
  ar: () => import('./ar/local-phone.ts'),
});
