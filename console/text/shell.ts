import { catalogue } from './text.ts';

/** Texts of the shell and of pieces that every area uses. */
export const shellText = catalogue({
  en: async () => (await import('./en/first-page.ts')).shell,
  de: async () => (await import('./de/first-page.ts')).shell,
  ar: async () => (await import('./ar/first-page.ts')).shell,
});
