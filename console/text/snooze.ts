import { catalogue } from './text.ts';

/** Of a dialog that is loaded when it opens. */
export const snoozeText = catalogue({
  en: () => import('./en/snooze.ts'),
  de: () => import('./de/snooze.ts'),
  ar: () => import('./ar/snooze.ts'),
});
