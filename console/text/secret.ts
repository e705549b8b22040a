import { de } from './de/secret.ts';
import { en } from './en/secret.ts';
import { catalogue } from './text.ts';

/** Texts where a secret is shown once. */
export const secretText = catalogue(en, de);
