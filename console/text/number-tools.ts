import { catalogue } from './text.ts';

/** What customers see of a number: profile, username, short links, ice breakers, commands. */
export const numberToolsText = catalogue({
  en: () => import('./en/number-tools.ts'),
  de: () => import('./de/number-tools.ts'),
  ar: () => import('./ar/number-tools.ts'),
});
