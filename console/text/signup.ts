import { catalogue } from './text.ts';

export const signupText = catalogue({
  en: () => import('./en/signup.ts'),
  de: () => import('./de/signup.ts'),
  ar: () => import('./ar/signup.ts'),
});
