import { catalogue } from './text.ts';

/** Of a dialog that is loaded when it opens. */
export const viewerText = catalogue({
  en: async () => (await import('./en/viewer.ts')).en,
  de: async () => (await import('./de/viewer.ts')).de,
  ar: async () => (await import('./ar/viewer.ts')).ar,
});
