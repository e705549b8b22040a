import { de } from './de/sign-in.ts';
import { en } from './en/sign-in.ts';
import { catalogue } from './text.ts';

export const signInText = catalogue(en, de);
