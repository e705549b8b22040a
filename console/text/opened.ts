import { catalogue } from './text.ts';

/** Of what opens in the inbox, its dialogs, the card of a contact and the bar of several: loaded with the first of them. */
export const openedText = catalogue({
  en: async () => (await import('./en/opened.ts')).en,
  de: async () => (await import('./de/opened.ts')).de,
  ar: async () => (await import('./ar/opened.ts')).ar,
});
