import { catalogue } from './text.ts';

export const contactsText = catalogue({
  en: () => import('./en/contacts.ts'),
  de: () => import('./de/contacts.ts'),
  ar: () => import('./ar/contacts.ts'),
});
