import { catalogue } from './text.ts';

/** Of parts of messages that are loaded when one is shown. */
export const receivedText = catalogue({
  en: () => import('./en/received.ts'),
  de: () => import('./de/received.ts'),
  ar: () => import('./ar/received.ts'),
});
