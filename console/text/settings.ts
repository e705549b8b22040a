import { catalogue } from './text.ts';

export const settingsText = catalogue({
  en: () => import('./en/settings.ts'),
  de: () => import('./de/settings.ts'),
  ar: () => import('./ar/settings.ts'),
});
