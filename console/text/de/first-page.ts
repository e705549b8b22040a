/** Texts that a page has before it shows anything. */
export { de as problems } from './problems.ts';
export { de as shell } from './shell.ts';
