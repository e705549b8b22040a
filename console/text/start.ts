import { catalogue } from './text.ts';

/** Of a dialog that is loaded when it opens. */
export const startText = catalogue({
  en: async () => (await import('./en/start.ts')).en,
  de: async () => (await import('./de/start.ts')).de,
  ar: async () => (await import('./ar/start.ts')).ar,
});
