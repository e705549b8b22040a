import { de } from './de/phone.ts';
import { en } from './en/phone.ts';
import { catalogue } from './text.ts';

export const phoneText = catalogue(en, de);
