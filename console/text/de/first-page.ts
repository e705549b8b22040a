/** Texts that a page has before it shows anything. */
export { de as charts } from './charts.ts';
export { de as problems } from './problems.ts';
export { de as secret } from './secret.ts';
export { de as shell } from './shell.ts';
