/** Texts that a page has before it shows anything. */
export { en as problems } from './problems.ts';
export { en as shell } from './shell.ts';
