import { catalogue } from './text.ts';

export const verificationText = catalogue({
  en: () => import('./en/verification.ts'),
  de: () => import('./de/verification.ts'),
  ar: () => import('./ar/verification.ts'),
});
