import { catalogue } from './text.ts';

/** Of a dialog that is loaded when it opens. */
export const snoozeText = catalogue({
  en: async () => (await import('./en/snooze.ts')).en,
  de: async () => (await import('./de/snooze.ts')).de,
  ar: async () => (await import('./ar/snooze.ts')).ar,
});
