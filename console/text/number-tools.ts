import { catalogue } from './text.ts';

/** What customers see of a number: profile, username, short links, ice breakers, commands. */
export const numberToolsText = catalogue({
  en: async () => (await import('./en/number-tools.ts')).en,
  de: async () => (await import('./de/number-tools.ts')).de,
  ar: async () => (await import('./ar/number-tools.ts')).ar,
});
