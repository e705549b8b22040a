import { catalogue } from './text.ts';

export const settingsText = catalogue({
  en: async () => (await import('./en/settings.ts')).en,
  de: async () => (await import('./de/settings.ts')).de,
  ar: async () => (await import('./ar/settings.ts')).ar,
});
