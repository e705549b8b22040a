import { catalogue } from './text.ts';

export const signInText = catalogue({
  en: async () => (await import('./en/sign-in.ts')).en,
  de: async () => (await import('./de/sign-in.ts')).de,
  ar: async () => (await import('./ar/sign-in.ts')).ar,
});
