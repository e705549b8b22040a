import { fieldKeyPattern } from './custom-value.ts';

/** The rules of `filter_condition` (A12). Strings are compared ignoring case and accents. */
export const ruleOps = [
  'eq',
  'neq',
  'contains',
  'not_contains',
  'starts_with',
  'in',
  'not_in',
  'gt',
  'gte',
  'lt',
  'lte',
  'is_set',
  'is_not_set',
  'before',
  'after',
  'within_days',
] as const;
export type RuleOp = (typeof ruleOps)[number];

type RuleKind = 'text' | 'boolean' | 'time' | 'members' | 'custom';
const kinds: Readonly<Record<string, RuleKind>> = {
  name: 'text',
  phone: 'text',
  user_id: 'text',
  username: 'text',
  email: 'text',
  city: 'text',
  country: 'text',
  company: 'text',
  subscribed: 'boolean',
  is_on_whatsapp: 'boolean',
  enabled_ai_bot: 'boolean',
  created_at: 'time',
  updated_at: 'time',
  last_inbound_at: 'time',
  group_id: 'members',
  tag_id: 'members',
};
export const filterFields: readonly string[] = Object.keys(kinds);
export const kindOfField = (field: string): RuleKind | undefined =>
  kinds[field] ?? (field.startsWith('custom.') && fieldKeyPattern.test(field.slice('custom.'.length)) ? 'custom' : undefined);

/** The operations that each kind of field supports. */
export const opsOf: Readonly<Record<RuleKind, readonly RuleOp[]>> = {
  text: ['eq', 'neq', 'contains', 'not_contains', 'starts_with', 'in', 'not_in', 'is_set', 'is_not_set'],
  boolean: ['eq', 'neq'],
  time: ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'before', 'after', 'within_days', 'is_set', 'is_not_set'],
  members: ['eq', 'neq', 'in', 'not_in', 'is_set', 'is_not_set'],
  custom: ruleOps,
};

export type RuleValue = string | number | boolean;

export interface Rule {
  field: string;
  op: RuleOp;
  /** One value, or a list for `in` and `not_in`; absent for `is_set` and `is_not_set`. */
  value?: RuleValue | readonly RuleValue[] | undefined;
}

export interface Filter {
  match: 'all' | 'any';
  rules: readonly (Rule | { match: 'all' | 'any'; rules: readonly Rule[] })[];
}
