import { catalogue } from './text.ts';

/** What went wrong, and what to do, in words of those who use the console and not of those who call the API. */
export const problemsText = catalogue({
  en: async () => ({ en: (await import('./en/first-page.ts')).problems }),
  de: async () => ({ de: (await import('./de/first-page.ts')).problems }),
  ar: async () => ({ ar: (await import('./ar/first-page.ts')).problems }),
});
