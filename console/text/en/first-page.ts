/** Texts that a page has before it shows anything. */
export { en as charts } from './charts.ts';
export { en as problems } from './problems.ts';
export { en as secret } from './secret.ts';
export { en as shell } from './shell.ts';
