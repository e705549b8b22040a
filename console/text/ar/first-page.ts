/** Texts that a page has before it shows anything. */
export { ar as problems } from './problems.ts';
export { ar as shell } from './shell.ts';
