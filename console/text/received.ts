import { catalogue } from './text.ts';

/** Of parts of messages that are loaded when one is shown. */
export const receivedText = catalogue({
  en: async () => (await import('./en/received.ts')).en,
  de: async () => (await import('./de/received.ts')).de,
  ar: async () => (await import('./ar/received.ts')).ar,
});
