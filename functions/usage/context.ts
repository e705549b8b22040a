import { context } from '../../shared/contract/context.ts';
import { projections } from './projections.ts';
import { recounts } from './recounts.ts';

/**
 * Usage: what a company used, in cells of a UTC day. Which items count, and as what, their contexts say: each has a `usageReaction` among its
 * reactions, and reads the cells that it named. See docs/decisions/usage-by-day.md.
 */
export const usageContext = context({
  name: 'usage',
  purpose: 'Counters of what companies use',
  projections,
  recounts,
  functions: [],
});
