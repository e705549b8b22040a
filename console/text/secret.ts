import { catalogue } from './text.ts';

/** Texts where a secret is shown once. */
export const secretText = catalogue({
  en: async () => (await import('./en/first-page.ts')).secret,
  de: async () => (await import('./de/first-page.ts')).secret,
  ar: async () => (await import('./ar/first-page.ts')).secret,
});
