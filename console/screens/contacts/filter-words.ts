import type { Segment } from '../../../client/client.ts';
import type { contactsText } from '../../text/contacts.ts';
import type { TextOf } from '../../text/text.ts';

type Text = TextOf<typeof contactsText>;
export type Filter = Segment['filter'];
type Part = Filter['rules'][number];
export type Rule = Extract<Part, { op: unknown }>;

/** What a field holds, and so how it is compared. */
export type FieldKind = 'text' | 'yes' | 'time' | 'group' | 'tag';

/** The fields that a filter may name, by their names in the API; the company's own ones stand after them. */
export const kinds: Readonly<Record<string, FieldKind>> = {
  name: 'text',
  phone: 'text',
  email: 'text',
  city: 'text',
  country: 'text',
  company: 'text',
  group_id: 'group',
  tag_id: 'tag',
  subscribed: 'yes',
  last_inbound_at: 'time',
  created_at: 'time',
};
export const kindOf = (field: string): FieldKind => kinds[field] ?? 'text';

/** How each kind is compared, the most usual way first. */
export const opsOf: Readonly<Record<FieldKind, readonly Rule['op'][]>> = {
  text: ['eq', 'contains', 'starts_with', 'neq', 'is_set', 'is_not_set'],
  yes: ['eq'],
  time: ['within_days', 'before', 'after', 'is_set', 'is_not_set'],
  group: ['eq', 'neq', 'is_set', 'is_not_set'],
  tag: ['eq', 'neq', 'is_set', 'is_not_set'],
};

export const nameOfField = (field: string, text: Text, own: Names): string =>
  ({
    name: text.name,
    phone: text.phone,
    email: text.email,
    city: text.city,
    country: text.country,
    company: text.company,
    group_id: text.group,
    tag_id: text.tag,
    subscribed: text.subscribed,
    last_inbound_at: text.lastWrote,
    created_at: text.since,
  })[field] ??
  own.get(field.replace(/^custom\./, '')) ??
  field;

export const nameOfOp = (op: Rule['op'], text: Text): string =>
  ({
    eq: text.opIs,
    neq: text.opIsNot,
    contains: text.opContains,
    not_contains: text.opContainsNot,
    starts_with: text.opBegins,
    in: text.opOneOf,
    not_in: text.opNoneOf,
    gt: '>',
    gte: '≥',
    lt: '<',
    lte: '≤',
    is_set: text.opSet,
    is_not_set: text.opNotSet,
    before: text.opBefore,
    after: text.opAfter,
    within_days: text.opWithin,
  })[op];

type Names = ReadonlyMap<string | number, string>;
/** The names of groups and tags by id, and of the company's own fields by key. */
export interface FilterNames {
  groups: Names;
  tags: Names;
  fields: Names;
}

/** A filter as people say it: `City is Berlin and Tag is Wholesale`. */
export const sentenceOf = ({ match, rules }: Filter, names: FilterNames, text: Text, tag: string): string => {
  const phrase = (part: Part): string =>
    'op' in part
      ? phraseOf(part, names, text)
      : `(${joined(
          part.match,
          part.rules.map((rule) => phraseOf(rule, names, text)),
          tag,
        )})`;
  return joined(match, rules.map(phrase), tag);
};

const joined = (match: Filter['match'], phrases: readonly string[], tag: string): string =>
  new Intl.ListFormat(tag, { type: match === 'all' ? 'conjunction' : 'disjunction' }).format(phrases);

const phraseOf = (rule: Rule, names: FilterNames, text: Text): string => {
  const field = nameOfField(rule.field, text, names.fields);
  const values = [rule.value ?? []].flat().map((value) => valueOf(rule.field, value, names, text));
  if (kindOf(rule.field) === 'yes') return `${field}: ${values.join(', ')}`;
  if (rule.op === 'within_days') return text.withinDays(field, values[0] ?? '');
  return [field, nameOfOp(rule.op, text), values.join(', ')].filter((each) => each !== '').join(' ');
};

const valueOf = (field: string, value: string | number | boolean, { groups, tags }: FilterNames, text: Text): string => {
  if (typeof value === 'boolean') return value ? text.yes : text.no;
  if (field === 'group_id') return groups.get(Number(value)) ?? String(value);
  if (field === 'tag_id') return tags.get(Number(value)) ?? String(value);
  return kindOf(field) === 'time' || typeof value === 'number' ? String(value) : `“${value}”`;
};

/** What the filters of the list say, as rules; undefined where they say nothing. */
export const filterOf = ({ search, rules }: { search: string | undefined; rules: readonly Rule[] }): Filter | undefined => {
  const found = search === undefined ? undefined : { match: 'any' as const, rules: rulesOfSearch(search) };
  if (rules.length === 0) return found;
  return { match: 'all', rules: found ? [...rules, found] : [...rules] };
};

/** A phone is searched by its digits; what has none is no part of one. */
const rulesOfSearch = (search: string): Rule[] => {
  const digits = search.replaceAll(/\D/g, '');
  const isPhone = digits !== '' && /^\+?[\d\s().-]+$/.test(search);
  return [
    { field: 'name', op: 'contains', value: search },
    ...(isPhone ? [{ field: 'phone', op: 'contains' as const, value: digits }] : []),
  ];
};
