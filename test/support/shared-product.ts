import { inject } from 'vitest';
import { productIn, type RunningProduct } from './product.ts';

/**
 * The product that all files of the browser tests share, as one of its demo companies sees it. The first is for tests of what users do, and its
 * clock moves with them; the second for those that look at every screen.
 */
export const sharedProduct = (company: 1 | 2): RunningProduct => productIn(inject('productFolder'), company);
