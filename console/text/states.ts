import { catalogue, type TextOf } from './text.ts';

/** How a message goes where that is more than its ticks: loaded with the first that is shown. */
export const statesText = catalogue({
  en: () => import('./en/states.ts'),
  de: () => import('./de/states.ts'),
  ar: () => import('./ar/states.ts'),
});
export type StatesText = TextOf<typeof statesText>;
