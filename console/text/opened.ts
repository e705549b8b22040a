import { catalogue } from './text.ts';

/** Of what opens in the inbox, its dialogs, the card of a contact and the bar of several: loaded with the first of them. */
export const openedText = catalogue({
  en: () => import('./en/opened.ts'),
  de: () => import('./de/opened.ts'),
  ar: () => import('./ar/opened.ts'),
});
