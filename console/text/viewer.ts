import { catalogue } from './text.ts';

/** Of a dialog that is loaded when it opens. */
export const viewerText = catalogue({
  en: () => import('./en/viewer.ts'),
  de: () => import('./de/viewer.ts'),
  ar: () => import('./ar/viewer.ts'),
});
