import { catalogue } from './text.ts';

export const templatesText = catalogue({
  en: async () => (await import('./en/templates.ts')).en,
  de: async () => (await import('./de/templates.ts')).de,
  ar: async () => (await import('./ar/templates.ts')).ar,
});
