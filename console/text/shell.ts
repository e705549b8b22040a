import { catalogue } from './text.ts';

/** Texts of the shell and of pieces that every area uses. */
export const shellText = catalogue({
  en: async () => ({ en: (await import('./en/first-page.ts')).shell }),
  de: async () => ({ de: (await import('./de/first-page.ts')).shell }),
  ar: async () => ({ ar: (await import('./ar/first-page.ts')).shell }),
});
