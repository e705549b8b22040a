import type * as z from 'zod';
import type { Filter, Rule } from '../contract/filter.ts';
import type { storedFilter } from '../contract/stored-segment.ts';

/** A filter as an item stores it: lists are its own, and what is not given is absent. */
export const toStoredFilter = ({ match, rules }: Filter): z.output<typeof storedFilter> => ({
  match,
  rules: rules.map((each) => ('op' in each ? toStoredRule(each) : { match: each.match, rules: each.rules.map(toStoredRule) })),
});

const toStoredRule = ({ field, op, value }: Rule) => ({
  field,
  op,
  ...(value === undefined ? {} : { value: typeof value === 'object' ? [...value] : value }),
});
