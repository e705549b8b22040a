import { catalogue } from './text.ts';

/** Of the inspector, which is loaded when it opens. */
export const inspectorText = catalogue({
  en: async () => (await import('./en/inspector.ts')).en,
  de: async () => (await import('./de/inspector.ts')).de,
  ar: async () => (await import('./ar/inspector.ts')).ar,
});
