import { catalogue } from './text.ts';

export const signupText = catalogue({
  en: async () => (await import('./en/signup.ts')).en,
  de: async () => (await import('./de/signup.ts')).de,
  ar: async () => (await import('./ar/signup.ts')).ar,
});
