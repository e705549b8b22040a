import { catalogue } from './text.ts';

export const templatesText = catalogue({
  en: () => import('./en/templates.ts'),
  de: () => import('./de/templates.ts'),
  ar: () => import('./ar/templates.ts'),
});
