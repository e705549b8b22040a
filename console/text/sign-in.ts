import { catalogue } from './text.ts';

export const signInText = catalogue({
  en: () => import('./en/sign-in.ts'),
  de: () => import('./de/sign-in.ts'),
  ar: () => import('./ar/sign-in.ts'),
});
