import * as z from 'zod';
import { deleted, pageMeta, paginated, success } from '../../../shared/contract/envelope.ts';
import { email, safeNumber, id, jsonBoolean, pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { countryByNumber } from './country.ts';
import { fieldKeyPattern, type GivenValue, maxFields, maxValueChars } from '../domain/field.ts';
import { maxGroupNameChars, maxGroups, type NamedGroups } from '../domain/group.ts';
import { normalizePhone } from './phone.ts';
import { fieldRecord } from './field.ts';
import { contactsQuery } from './list.ts';

/** A contact on the wire (1§2). */
export const contactRecord = z
  .object({
    id: z.int(),
    name: z.string().nullable(),
    phone: z.string().meta({ description: 'Digits with country code, no plus.' }),
    email: z.string().nullable(),
    city: z.string().nullable(),
    country: z.string().nullable().meta({ description: 'English short name; from the calling code when not given.' }),
    company: z.string().nullable(),
    subscribed: z.boolean(),
    is_on_whatsapp: z.boolean().meta({ description: 'True once known; false also while unknown.' }),
    enabled_ai_bot: z.boolean(),
    marketing_blocked: z.boolean().meta({ description: 'The person stopped marketing at the provider; only the person can undo it.' }),
    groups: z.array(z.object({ id: z.int(), name: z.string() })),
    tags: z.array(z.object({ id: z.int(), name: z.string(), color: z.string() })),
    custom: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    created_at: timestamp,
    updated_at: timestamp,
    deleted_at: timestamp.optional().meta({ description: 'Only on deleted contacts, which only include_deleted shows.' }),
  })
  .meta({ id: 'Contact' });
export type ContactRecord = z.output<typeof contactRecord>;

/** Where a filter looks through more contacts than one call can, `total` counts as far as was looked, and `next_cursor` goes on. */
const contactsPage = paginated(contactRecord).extend({
  meta: pageMeta.extend({
    total_is_partial: z
      .literal(true)
      .optional()
      .meta({ description: 'The total counts only as far as was looked; the page may be short, next_cursor goes on.' }),
  }),
});

export const phoneNumber = text(64, 1).transform((value, context) => {
  const phone = normalizePhone(value);
  if (phone.ok) return phone.digits;
  context.addIssue({ code: 'custom', message: 'Must be a phone number with country code, 8 to 15 digits.' });
  return z.NEVER;
});

/** ISO 3166-1 numeric on the wire (A3), alpha-2 inside. */
const countryId = wholeNumber(1, 999).transform((value, context) => {
  const country = countryByNumber(value);
  if (country !== undefined) return country;
  context.addIssue({ code: 'custom', message: 'Must be an ISO 3166-1 numeric country code.' });
  return z.NEVER;
});

/** Ids, names, or both; names also as a comma list (A5). */
const groups = z
  .union([z.int(), z.string(), z.array(z.union([z.int(), z.string()])).max(maxGroups)], {
    error: `Must be a list of at most ${maxGroups} group ids or group names.`,
  })
  .transform((value, context): NamedGroups => {
    const parts = typeof value === 'string' ? value.split(',') : [value].flat();
    const ids = parts.filter((part) => typeof part === 'number');
    const names = parts
      .filter((part) => typeof part === 'string')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    if (ids.some((each) => each < 1)) context.addIssue({ code: 'custom', message: 'Group ids are positive whole numbers.' });
    if (names.some((name) => name.length > maxGroupNameChars || name.includes('\u0000')))
      context.addIssue({ code: 'custom', message: `Group names have at most ${maxGroupNameChars} characters.` });
    return { ids, names };
  });

const fieldValue = z.union([text(maxValueChars), safeNumber, z.boolean(), z.null()], {
  error: `Must be a text of at most ${maxValueChars} characters, a number, true, false or null.`,
});

const fieldMap = z.record(z.string(), fieldValue, { error: 'Must be an object of keys and values.' }).superRefine((map, context) => {
  if (Object.keys(map).length > maxFields) context.addIssue({ code: 'custom', message: `Must have at most ${maxFields} keys.` });
  for (const key of Object.keys(map))
    if (!fieldKeyPattern.test(key))
      context.addIssue({
        code: 'custom',
        path: [key],
        message: 'A key begins with a letter and has at most 50 letters, digits, spaces and underscores.',
      });
});

/** What POST and PUT take (1§2). `company` and `company_name`, `custom` and `fields` are the same thing (A4, A7). */
export const contactBody = z
  .object({
    phone: phoneNumber,
    name: text(255).nullish(),
    email: z.union([z.literal('').transform(() => null), email], { error: 'Must be an email address.' }).nullish(),
    city: text(100).nullish(),
    country_id: countryId.nullish(),
    company_name: text(255).nullish(),
    company: text(255).nullish(),
    subscribed: jsonBoolean.optional(),
    enabled_ai_bot: jsonBoolean.optional(),
    groups: groups.optional(),
    tags: z.array(id, { error: 'Must be a list of tag ids.' }).max(1_000).optional(),
    fields: fieldMap.optional(),
    custom: fieldMap.optional(),
  })
  .transform(({ company_name, company, country_id, enabled_ai_bot, groups, tags, fields, custom, ...rest }) => ({
    ...rest,
    company: company_name === undefined ? company : company_name,
    country: country_id,
    enabledAiBot: enabled_ai_bot,
    groups,
    tagIds: tags,
    custom: fields || custom ? new Map([...given('custom', custom), ...given('fields', fields)]) : undefined,
  }));
export type ContactBody = z.output<typeof contactBody>;

const reader = { kind: 'token', scope: 'contacts:read', role: 'viewer' } as const;
const writer = { kind: 'token', scope: 'contacts:write', role: 'member' } as const;
const params = z.object({ id: pathId });

export const contactRoutes = {
  listContacts: route({
    method: 'GET',
    path: '/api/v1/contacts',
    summary: 'List contacts, newest first',
    caller: reader,
    limit: 'read',
    effect: 'read',
    query: contactsQuery,
    answers: { 200: contactsPage },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  createContact: route({
    method: 'POST',
    path: '/api/v1/contacts',
    summary: 'Create a contact, or update the one that has the phone',
    caller: writer,
    limit: 'write',
    effect: 'write',
    body: contactBody,
    answers: { 200: success(contactRecord.extend({ created: z.boolean() })) },
    errors: ['validation_failed', 'plan_limit_reached'],
  }),
  getContact: route({
    method: 'GET',
    path: '/api/v1/contacts/{id}',
    summary: 'A contact with its groups, tags and custom fields',
    caller: reader,
    limit: 'read',
    effect: 'read',
    params,
    answers: { 200: success(contactRecord) },
    errors: ['not_found'],
  }),
  replaceContact: route({
    method: 'PUT',
    path: '/api/v1/contacts/{id}',
    summary: 'Replace a contact',
    caller: writer,
    limit: 'write',
    effect: 'write',
    params,
    body: contactBody,
    answers: { 200: success(contactRecord) },
    errors: ['validation_failed', 'not_found'],
  }),
  getGroupsAndFields: route({
    method: 'GET',
    path: '/api/v1/contacts/{id}/groups-and-fields',
    summary: 'Groups and custom fields of a contact, with the definitions of all fields',
    caller: reader,
    limit: 'read',
    effect: 'read',
    params,
    answers: {
      200: success(z.object({ groups: contactRecord.shape.groups, fields: contactRecord.shape.custom, definitions: z.array(fieldRecord) })),
    },
    errors: ['not_found'],
  }),
  listCountries: route({
    method: 'GET',
    path: '/api/v1/countries',
    summary: 'Countries with the ids that country_id takes',
    caller: reader,
    limit: 'read',
    effect: 'read',
    answers: { 200: success(z.array(z.object({ id: z.int(), name: z.string(), code: z.string() }))) },
    errors: [],
  }),
  deleteContact: route({
    method: 'DELETE',
    path: '/api/v1/contacts/{id}',
    summary: 'Delete a contact; kept 30 days for a POST of the same phone to restore',
    caller: writer,
    limit: 'write',
    effect: 'write',
    params,
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
};

/** Values by key, each with the field it came in. */
function given(under: 'fields' | 'custom', map: Record<string, string | number | boolean | null> = {}): [string, GivenValue][] {
  return Object.entries(map).map(([key, value]) => [key, { field: `${under}.${key}`, value }]);
}
