import { getCompany } from '../../account/service/companies.ts';
import { type FieldErrors, invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import type { ContactBody } from '../contract/contact-body.ts';
import { type CustomValue, type GivenValue, maxFields } from '../contract/custom-value.ts';
import { parseFieldValue } from '../domain/field.ts';
import { maxGroups, type NamedGroups } from '../contract/group.ts';
import { distinctNames, normalizedName } from '../domain/group.ts';
import type { Field } from '../domain/field.ts';
import { createFieldDefinition, getFieldDefinitions, listFieldDefinitions } from '../store/field.ts';
import { getOrCreateGroupId } from '../store/group.ts';
import { getLabels, listAllGroups } from '../store/label.ts';
import { findGroupIds } from './group-ids.ts';

/**
 * Groups, tags and custom fields of a request. All of them are resolved and validated before new ones are created, so that a rejected
 * request writes nothing.
 */
export interface References {
  groupIds: readonly number[] | undefined;
  tagIds: readonly number[] | undefined;
  custom: ReadonlyMap<string, CustomValue | null> | undefined;
}

export interface ReferencePlan extends References {
  /** Definitions of the custom fields of the request. */
  fields: readonly Field[];
  newGroups: readonly string[];
  newFields: readonly { key: string; given: GivenValue }[];
}

/**
 * Resolves the references of a request, or returns all their errors. Reads only definitions that the request names, but all of them when
 * `replaces`, because then a missing value is removed.
 */
export const resolveReferences = async (
  companyId: number,
  body: Pick<ContactBody, 'groups' | 'tagIds' | 'custom'>,
  { replaces = false }: { replaces?: boolean } = {},
): Promise<ReferencePlan | Problem<'validation_failed'>> => {
  const [groups, tags, fields] = await Promise.all([
    body.groups ? resolveGroups(companyId, body.groups) : undefined,
    body.tagIds ? resolveTags(companyId, body.tagIds) : undefined,
    body.custom ? resolveFields(companyId, body.custom, replaces) : undefined,
  ]);
  const errors = { ...groups?.errors, ...tags?.errors, ...fields?.errors };
  if (Object.keys(errors).length > 0) return problem('validation_failed', { errors });
  return {
    groupIds: groups?.ids,
    tagIds: body.tagIds,
    custom: fields?.values,
    fields: fields?.fields ?? [],
    newGroups: groups?.missing ?? [],
    newFields: fields?.missing ?? [],
  };
};

/** Creates the new groups and fields. */
export const createMissingReferences = async (
  companyId: number,
  plan: ReferencePlan,
): Promise<References | Problem<'validation_failed'>> => {
  const [groupIds, fields] = await Promise.all([createGroups(companyId, plan.newGroups), createFields(companyId, plan.newFields)]);
  const { values, errors } = typedValues(fields, new Map(plan.newFields.map(({ key, given }) => [key, given])));
  if (Object.keys(errors).length > 0) return problem('validation_failed', { errors });
  return {
    groupIds: plan.groupIds && [...plan.groupIds, ...groupIds],
    tagIds: plan.tagIds,
    custom: plan.custom && new Map([...plan.custom, ...values]),
  };
};

async function resolveGroups(
  companyId: number,
  { ids, names }: NamedGroups,
): Promise<{ ids: number[]; missing: string[]; errors: FieldErrors }> {
  const [{ groups: found }, byName] = await Promise.all([getLabels(companyId, ids, []), findGroupIds(companyId, names)]);
  const unknown = ids.filter((id) => !found.some((group) => group.id === id));
  const missing = distinctNames(names).filter((name) => !byName.has(normalizedName(name)));
  const errors: FieldErrors = {};
  if (unknown.length > 0) errors['groups'] = [`There is no group ${unknown.slice(0, 10).join(', ')}.`];
  else if (missing.length > 0 && (await listAllGroups(companyId)).length + missing.length > maxGroups)
    errors['groups'] = [`A company has at most ${maxGroups} groups.`];
  return { ids: [...ids, ...byName.values()], missing, errors };
}

async function resolveTags(companyId: number, ids: readonly number[]): Promise<{ errors: FieldErrors }> {
  const { tags: found } = await getLabels(companyId, [], ids);
  const unknown = ids.filter((id) => !found.some((tag) => tag.id === id));
  return { errors: unknown.length > 0 ? { tags: [`There is no tag ${unknown.slice(0, 10).join(', ')}.`] } : {} };
}

/** An unknown key creates a field, unless the company has `strict_fields` (A7). Removing a value creates nothing. */
async function resolveFields(
  companyId: number,
  given: ReadonlyMap<string, GivenValue>,
  replaces: boolean,
): Promise<{
  values: Map<string, CustomValue | null>;
  fields: Field[];
  missing: { key: string; given: GivenValue }[];
  errors: FieldErrors;
}> {
  const fields = await (replaces ? listFieldDefinitions(companyId) : getFieldDefinitions(companyId, [...given.keys()]));
  const known = new Set(fields.map((field) => field.key));
  const missing = [...given].filter(([key, { value }]) => value !== null && !known.has(key)).map(([key, each]) => ({ key, given: each }));
  const { values, errors } = typedValues(fields, given);
  if (missing.length > 0 && (await getCompany(companyId))?.settings.strictFields)
    for (const each of missing) errors[each.given.field] = ['There is no such custom field.'];
  else if (missing.length > 0 && (await listFieldDefinitions(companyId)).length + missing.length > maxFields)
    for (const each of missing) errors[each.given.field] = [`A company has at most ${maxFields} custom fields.`];
  for (const [key, { value }] of given) if (value === null) values.set(key, null);
  return { values, fields, missing, errors };
}

function typedValues(
  fields: readonly Field[],
  given: ReadonlyMap<string, GivenValue>,
): { values: Map<string, CustomValue | null>; errors: FieldErrors } {
  const values = new Map<string, CustomValue | null>();
  const errors: FieldErrors = {};
  for (const field of fields) {
    const each = given.get(field.key);
    if (!each || each.value === null) continue;
    const typed = parseFieldValue(field.type, field.options, each.value);
    if (typed.ok) values.set(field.key, typed.value);
    else Object.assign(errors, invalid(each.field, typed.reason).errors);
  }
  return { values, errors };
}

async function createGroups(companyId: number, names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return [];
  const first = await nextIds(companyId, 'group', names.length);
  return Promise.all(names.map((name, index) => getOrCreateGroupId(companyId, first + index, name, now())));
}

async function createFields(companyId: number, missing: ReferencePlan['newFields']): Promise<Field[]> {
  if (missing.length === 0) return [];
  const first = await nextIds(companyId, 'field', missing.length);
  const at = now();
  const defaults = { companyId, type: 'text' as const, options: [], required: false, isActive: true, createdAt: at, updatedAt: at };
  return Promise.all(
    missing.map(({ key }, index) => createFieldDefinition({ ...defaults, id: first + index, key, name: key, position: first + index })),
  );
}
