import * as z from 'zod';
import { booleansByWord, id, looseBoolean, paging, safeNumber, text } from '../../../shared/contract/fields.ts';
import { epochMs } from '../../../shared/runtime/clock.ts';
import { misspelt } from '../../../shared/runtime/misspelt.ts';
import { filterFields, type Filter, kindOfField, opsOf, type Rule, ruleOps, type RuleValue } from './filter.ts';

/** The query of GET /contacts (A12, A13). */

const updateFrom = text(40, 1).transform((value, context) => {
  const match = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?)Z?$/.exec(value);
  const at = match ? epochMs(`${match[1]}T${match[2]}Z`) : Number.NaN;
  if (!Number.isNaN(at) && at >= 0 && new Date(at).toISOString().startsWith(match?.[1] ?? '-')) return at;
  context.addIssue({ code: 'custom', message: 'Must be a time in UTC as YYYY-MM-DD HH:MM:SS.' });
  return z.NEVER;
});

const ruleText = z
  .string()
  .max(2_000)
  .refine((value) => !value.includes('\u0000'), { error: 'Must not contain NUL characters.' });
const ruleValue = z.union([ruleText, safeNumber, z.boolean()], { error: 'Must be a string, a number, true or false.' });

const rule = z
  .strictObject({
    field: z.string({ error: 'Must be the name of a field.' }).meta({
      description: 'A field of the contact, `group_id`, `tag_id`, `last_inbound_at` or `custom.<key>`.',
    }),
    op: z
      .enum(ruleOps, { error: `Must be one of: ${ruleOps.join(', ')}.` })
      .meta({ description: 'How the field is compared. Texts ignore case and accents.' }),
    value: z
      .union([ruleValue, z.array(ruleValue).max(100)], { error: 'Must be a value, or a list of at most 100.' })
      .optional()
      .meta({ description: 'The value; a list for `in` and `not_in`; none for `is_set` and `is_not_set`.' }),
  })
  .meta({ id: 'ContactFilterRule', outputId: 'SegmentFilterRule' });

const match = z
  .enum(['all', 'any'], { error: 'Must be all or any.' })
  .meta({ description: 'Whether all rules must match, or any of them.' });
const nested = z.strictObject({
  match,
  rules: z.array(rule).min(1, { error: 'Must have a rule.' }).meta({ description: 'The rules.' }),
});

/** Rules as JSON, as callers write them and as responses show them. */
export const filterRules = z
  .strictObject({
    match,
    rules: z
      .array(z.union([rule, nested], { error: 'Must be {field, op, value} or one nested {match, rules}.' }))
      .min(1, { error: 'Must have a rule.' })
      .meta({ description: 'At most 20 rules, one of them a nested {match, rules}.' }),
  })
  .meta({ id: 'ContactFilter', outputId: 'SegmentFilter', description: 'Rules that contacts match.' });
const maxRules = 20;

/** Rules with their values converted to the types of their fields. */
export const contactFilter = filterRules.transform((given, context): Filter => {
  const refuse = (message: string, path: (string | number)[] = []) => {
    context.addIssue({ code: 'custom', message, path });
    return z.NEVER;
  };
  const count = given.rules.reduce((sum, each) => sum + ('op' in each ? 1 : each.rules.length), 0);
  if (count > maxRules) return refuse(`Must have at most ${maxRules} rules.`);
  if (given.rules.filter((each) => !('op' in each)).length > 1) return refuse('Must have at most one nested {match, rules}.');
  const checked = (each: Rule, path: (string | number)[]): Rule => {
    const typed = checkRule(each);
    return typeof typed === 'string' ? refuse(typed, path) : typed;
  };
  return {
    match: given.match,
    rules: given.rules.map((each, place) =>
      'op' in each
        ? checked(each, ['rules', place])
        : { match: each.match, rules: each.rules.map((inner, at) => checked(inner, ['rules', place, 'rules', at])) },
    ),
  };
});

/** `and` or `or` to combine the other filters, or rules as JSON. */
const filterCondition = text(10_000, 1).transform((value, context): { combine: 'and' | 'or'; rules: Filter | undefined } => {
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  const word = value.toLowerCase();
  if (word === 'and' || word === 'or') return { combine: word, rules: undefined };
  if (!value.startsWith('{')) return refuse('Must be and, or, or a JSON object {match, rules}.');
  let json: unknown;
  try {
    json = JSON.parse(value);
  } catch {
    return refuse('Must be valid JSON.');
  }
  const parsed = contactFilter.safeParse(json);
  return parsed.success ? { combine: 'and', rules: parsed.data } : refuse(reasonIn(parsed.error));
});

export const contactsQuery = paging(20, 100, {
  search: text(255).optional().meta({ description: 'A part of the name, ignoring case and accents, or of the phone.' }),
  group_id: id.optional().meta({ description: 'Only contacts of this group.' }),
  tag_id: id.optional().meta({ description: 'Only contacts with this tag.' }),
  segment_id: id.optional().meta({ description: 'Only contacts of this segment, a saved filter; takes the place of rules.' }),
  filter_condition: filterCondition.optional().meta({
    override: {
      type: 'string',
      description:
        '`and` or `or`: how group_id, tag_id and search combine; or rules as JSON: `{"match":"all","rules":[{"field":"city","op":"eq","value":"Pune"}]}`.',
    },
  }),
  update_from: updateFrom.optional().meta({
    override: {
      type: 'string',
      example: '2026-11-21 00:00:00',
      description: 'Contacts changed at or after this time (UTC), oldest change first, until five seconds ago.',
    },
  }),
  include_deleted: looseBoolean
    .optional()
    .meta({ override: { type: 'boolean', description: 'With update_from: include deleted contacts.' } }),
  only_deleted: looseBoolean.optional().meta({
    override: {
      type: 'boolean',
      description:
        'Only contacts that were deleted and can still be restored, the earliest deletion first; without update_from all of them. No group and no search finds them.',
    },
  }),
}).transform(({ search, group_id, tag_id, segment_id, filter_condition, update_from, include_deleted, only_deleted, ...range }) => ({
  ...range,
  search: search === '' ? undefined : search,
  groupId: group_id,
  tagId: tag_id,
  segmentId: segment_id,
  combine: filter_condition?.combine ?? ('and' as const),
  rules: filter_condition?.rules,
  updateFrom: only_deleted === true ? (update_from ?? 0) : update_from,
  includeDeleted: only_deleted === true || (include_deleted === true && update_from !== undefined),
  // absent, not false: cursors of the release before have no such filter
  ...(only_deleted === true ? { onlyDeleted: true as const } : {}),
}));
export type ContactsQuery = z.output<typeof contactsQuery>;

/** The rule with its values converted to the type of its field, or an error message. */
function checkRule({ field, op, value }: Rule): Rule | string {
  const kind = kindOfField(field);
  if (kind === undefined) {
    const meant = misspelt(field, filterFields);
    return `There is no field ${field.slice(0, 60)}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
  }
  if (!opsOf[kind].includes(op)) return `${field} does not take ${op}.`;
  if (op === 'is_set' || op === 'is_not_set') return { field, op };
  if (value === undefined) return `${op} needs a value.`;
  const isMany = op === 'in' || op === 'not_in';
  if (isMany !== Array.isArray(value)) return isMany ? `${op} needs a list of values.` : `${op} needs one value.`;
  const values = [value].flat() as RuleValue[];
  if (op === 'within_days')
    return isWhole(values[0], 1, 3_650) ? { field, op, value: Number(values[0]) } : 'within_days needs a whole number from 1 to 3650.';
  if (kind === 'time' || op === 'before' || op === 'after')
    return values.every((each) => typeof each === 'string' && !Number.isNaN(epochMs(each)))
      ? { field, op, value }
      : `${op} needs a time in ISO 8601.`;
  if (kind === 'members')
    return values.every((each) => isWhole(each, 1, Number.MAX_SAFE_INTEGER)) ? { field, op, value } : `${field} needs ids.`;
  if (kind === 'boolean') {
    const truth = booleansByWord.get(String(values[0]).toLowerCase());
    return truth === undefined ? `${field} needs true or false.` : { field, op, value: truth };
  }
  return { field, op, value };
}

const isWhole = (value: RuleValue | undefined, min: number, max: number): boolean =>
  typeof value !== 'boolean' && value !== '' && Number.isInteger(Number(value)) && Number(value) >= min && Number(value) <= max;

/** The first error with its path: `rules.2.op: Must be one of ...`. */
function reasonIn(error: z.ZodError): string {
  const deepest = (issues: readonly z.core.$ZodIssue[], path: readonly PropertyKey[]): string => {
    const [issue] = issues;
    if (issue === undefined) return 'Must be a filter.';
    const at = [...path, ...issue.path];
    if (issue.code === 'invalid_union') {
      const branches = issue.errors.filter((branch) => !branch.some((each) => each.code === 'unrecognized_keys'));
      if (branches[0]) return deepest(branches[0], at);
    }
    return `${at.map(String).join('.') || 'filter'}: ${issue.message}`;
  };
  return deepest(error.issues, []);
}
