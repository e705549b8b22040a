import { catalogue } from './text.ts';

/** Of the inspector, which is loaded when it opens. */
export const inspectorText = catalogue({
  en: () => import('./en/inspector.ts'),
  de: () => import('./de/inspector.ts'),
  ar: () => import('./ar/inspector.ts'),
});
