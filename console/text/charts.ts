import { de } from './de/charts.ts';
import { en } from './en/charts.ts';
import { catalogue } from './text.ts';

/** Texts of charts. */
export const chartsText = catalogue(en, de);
