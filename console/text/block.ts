import { catalogue } from './text.ts';

/** Of a dialog that is loaded when it opens. */
export const blockText = catalogue({
  en: () => import('./en/block.ts'),
  de: () => import('./de/block.ts'),
  ar: () => import('./ar/block.ts'),
});
