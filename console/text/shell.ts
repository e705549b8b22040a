import { de } from './de/shell.ts';
import { en } from './en/shell.ts';
import { catalogue } from './text.ts';

/** Texts of the shell and of pieces that every area uses. */
export const shellText = catalogue(en, de);
