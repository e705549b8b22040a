import { catalogue } from './text.ts';

/** Texts where a secret is shown once. */
export const secretText = catalogue({
  en: () => import('./en/secret.ts'),
  de: () => import('./de/secret.ts'),
  ar: () => import('./ar/secret.ts'),
});
