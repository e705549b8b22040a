import { catalogue, type TextOf } from './text.ts';

/** How a message goes where that is more than its ticks: loaded with the first that is shown. */
export const statesText = catalogue({
  en: async () => (await import('./en/states.ts')).en,
  de: async () => (await import('./de/states.ts')).de,
  ar: async () => (await import('./ar/states.ts')).ar,
});
export type StatesText = TextOf<typeof statesText>;
