import { de } from './de/developers.ts';
import { en } from './en/developers.ts';
import { catalogue } from './text.ts';

export const developersText = catalogue(en, de);
