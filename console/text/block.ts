import { catalogue } from './text.ts';

/** Of a dialog that is loaded when it opens. */
export const blockText = catalogue({
  en: async () => (await import('./en/block.ts')).en,
  de: async () => (await import('./de/block.ts')).de,
  ar: async () => (await import('./ar/block.ts')).ar,
});
