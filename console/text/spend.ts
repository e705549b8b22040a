import { catalogue } from './text.ts';

export const spendText = catalogue({
  en: async () => (await import('./en/spend.ts')).en,
  de: async () => (await import('./de/spend.ts')).de,
  ar: async () => (await import('./ar/spend.ts')).ar,
});
