import { de } from './de/settings.ts';
import { en } from './en/settings.ts';
import { catalogue } from './text.ts';

export const settingsText = catalogue(en, de);
