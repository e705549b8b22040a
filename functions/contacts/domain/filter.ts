import { dayMs, epochMs } from '../../../shared/runtime/clock.ts';
import type { Contact } from '../contract/stored.ts';
import { type Filter, kindOfField, type Rule, type RuleOp, type RuleValue } from '../contract/filter.ts';
import { countryName } from '../contract/country.ts';
import type { CustomValue } from '../contract/custom-value.ts';
import type { LabelNames } from './contact.ts';
import { searchableText } from './search.ts';

/** What rules need beside the contact itself. */
export interface FilterContext {
  names: LabelNames;
  /** Undefined until the conversations were read. */
  lastInboundAt: ReadonlyMap<number, number> | undefined;
  at: number;
}

/** Whether a contact matches a filter; undefined when the result depends on `lastInboundAt` and that was not read yet. */
export const matchesFilter = (contact: Contact, filter: Filter, context: FilterContext): boolean | undefined => {
  const evaluate = (rule: Filter['rules'][number]): boolean | undefined =>
    'op' in rule
      ? matchesRule(contact, rule, context)
      : combineResults(rule.match, rule.rules, (each) => matchesRule(contact, each, context));
  return combineResults(filter.match, filter.rules, evaluate);
};

/** One false decides `all`, one true decides `any`; otherwise one undefined makes the whole undefined. */
function combineResults<T>(match: 'all' | 'any', rules: readonly T[], evaluate: (rule: T) => boolean | undefined): boolean | undefined {
  const decisive = match === 'any';
  let isOpen = false;
  for (const rule of rules) {
    const result = evaluate(rule);
    if (result === decisive) return decisive;
    isOpen ||= result === undefined;
  }
  return isOpen ? undefined : !decisive;
}

function matchesRule(contact: Contact, rule: Rule, context: FilterContext): boolean | undefined {
  const values = [rule.value ?? []].flat();
  if (rule.field === 'last_inbound_at' && context.lastInboundAt === undefined) return undefined;
  switch (kindOfField(rule.field)) {
    case 'text':
      return matchesText(textOf(contact, rule.field), rule.op, values.map(String));
    case 'boolean':
      return (flagOf(contact, rule.field) === (values[0] === true)) === (rule.op === 'eq');
    case 'time':
      return matchesTime(timeOf(contact, rule.field, context), rule.op, values, context.at);
    case 'members':
      return matchesMembers(membersOf(contact, rule.field, context.names), rule.op, values.map(Number));
    case 'custom':
      return matchesCustomValue(contact.custom[rule.field.slice('custom.'.length)], rule.op, values, context.at);
    case undefined:
      return false;
  }
}

function textOf(contact: Contact, field: string): string[] {
  if (field === 'country') return contact.country === undefined ? [] : [contact.country, countryName(contact.country) ?? ''];
  const value = textFields[field]?.(contact);
  return value === undefined || value === '' ? [] : [value];
}

const textFields: Readonly<Record<string, (contact: Contact) => string | undefined>> = {
  name: ({ name }) => name,
  phone: ({ phone }) => phone,
  user_id: ({ userId }) => userId,
  username: ({ username }) => username?.value,
  email: ({ email }) => email,
  city: ({ city }) => city,
  company: ({ company }) => company,
};

/** `have`: the spellings of one value (a country has two), empty when it is not set. */
function matchesText(have: readonly string[], op: string, values: readonly string[]): boolean {
  const texts = have.map(searchableText);
  const wanted = values.map(searchableText);
  const some = (test: (text: string, value: string) => boolean): boolean => texts.some((text) => wanted.some((value) => test(text, value)));
  switch (op) {
    case 'is_set':
      return have.length > 0;
    case 'is_not_set':
      return have.length === 0;
    case 'eq':
    case 'in':
      return some((text, value) => text === value);
    case 'neq':
    case 'not_in':
      return !some((text, value) => text === value);
    case 'contains':
      return some((text, value) => text.includes(value));
    case 'not_contains':
      return !some((text, value) => text.includes(value));
    case 'starts_with':
      return some((text, value) => text.startsWith(value));
    default:
      return false;
  }
}

const flagOf = (contact: Contact, field: string): boolean =>
  field === 'subscribed' ? contact.subscribed : field === 'is_on_whatsapp' ? contact.isOnWhatsapp : contact.enabledAiBot;

const timeOf = (contact: Contact, field: string, { lastInboundAt }: FilterContext): number | undefined =>
  field === 'created_at' ? contact.createdAt : field === 'updated_at' ? contact.updatedAt : lastInboundAt?.get(contact.id);

/** A value without a time of day means that whole day in UTC. */
function matchesTime(have: number | undefined, op: string, values: readonly RuleValue[], at: number): boolean {
  if (op === 'is_set') return have !== undefined;
  if (op === 'is_not_set') return have === undefined;
  if (have === undefined) return op === 'neq';
  const [value = ''] = values;
  if (op === 'within_days') return have >= at - Number(value) * dayMs && have <= at;
  const from = epochMs(String(value));
  const to = /^\d{4}-\d{2}-\d{2}$/.test(String(value)) ? from + dayMs - 1 : from;
  switch (op) {
    case 'eq':
      return have >= from && have <= to;
    case 'neq':
      return have < from || have > to;
    case 'gt':
    case 'after':
      return have > to;
    case 'gte':
      return have >= from;
    case 'lt':
    case 'before':
      return have < from;
    case 'lte':
      return have <= to;
    default:
      return false;
  }
}

/** Ignores ids of deleted groups and tags. */
function membersOf(contact: Contact, field: string, names: LabelNames): number[] {
  return field === 'group_id' ? contact.groupIds.filter((id) => names.groups.has(id)) : contact.tagIds.filter((id) => names.tags.has(id));
}

function matchesMembers(have: readonly number[], op: string, values: readonly number[]): boolean {
  const some = values.some((value) => have.includes(value));
  switch (op) {
    case 'is_set':
      return have.length > 0;
    case 'is_not_set':
      return have.length === 0;
    case 'eq':
    case 'in':
      return some;
    default:
      return !some;
  }
}

/** Compares a custom value by its type: numbers as numbers, times as times, others as strings. */
function matchesCustomValue(have: CustomValue | undefined, op: RuleOp, values: readonly RuleValue[], at: number): boolean {
  if (op === 'before' || op === 'after' || op === 'within_days') {
    const time = have === undefined ? Number.NaN : epochMs(String(have));
    return !Number.isNaN(time) && matchesTime(time, op, values, at);
  }
  if (op === 'gt' || op === 'gte' || op === 'lt' || op === 'lte') {
    const [a, b] =
      typeof have === 'number' ? [have, Number(values[0])] : [searchableText(String(have ?? '')), searchableText(String(values[0]))];
    if (have === undefined) return false;
    return op === 'gt' ? a > b : op === 'gte' ? a >= b : op === 'lt' ? a < b : a <= b;
  }
  return matchesText(have === undefined ? [] : [String(have)], op, values.map(String));
}
