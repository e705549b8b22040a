import { catalogue } from './text.ts';

/** Of a dialog that is loaded when it opens. */
export const startText = catalogue({
  en: () => import('./en/start.ts'),
  de: () => import('./de/start.ts'),
  ar: () => import('./ar/start.ts'),
});
