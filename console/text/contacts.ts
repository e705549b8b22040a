import { catalogue } from './text.ts';

export const contactsText = catalogue({
  en: async () => (await import('./en/contacts.ts')).en,
  de: async () => (await import('./de/contacts.ts')).de,
  ar: async () => (await import('./ar/contacts.ts')).ar,
});
