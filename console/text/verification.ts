import { catalogue } from './text.ts';

export const verificationText = catalogue({
  en: async () => (await import('./en/verification.ts')).en,
  de: async () => (await import('./de/verification.ts')).de,
  ar: async () => (await import('./ar/verification.ts')).ar,
});
