import { catalogue } from './text.ts';

/** Texts where a secret is shown once. */
export const secretText = catalogue({
  en: async () => (await import('./en/secret.ts')).en,
  de: async () => (await import('./de/secret.ts')).de,
  ar: async () => (await import('./ar/secret.ts')).ar,
});
