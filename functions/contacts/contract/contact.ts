import * as z from 'zod';
import { deleted, pageMeta, paginated, success } from '../../../shared/contract/envelope.ts';
import { email, safeNumber, id, jsonBoolean, pathId, text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { countryByNumber } from './country.ts';
import { fieldKeyPattern, type GivenValue, maxFields, maxValueChars } from './custom-value.ts';
import { maxGroupNameChars, maxGroups, type NamedGroups } from './group.ts';
import { normalizePhone } from './phone.ts';
import { fieldRecord } from './field.ts';
import { contactsQuery } from './list.ts';

/** A contact in responses. */
export const contactRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the contact.' }),
    name: z.string().nullable().meta({ description: 'Full name, or null.' }),
    phone: z.string().meta({ description: "Digits with country code, no plus. Empty when only the provider's user id is known." }),
    email: z.string().nullable().meta({ description: 'Email address, or null.' }),
    city: z.string().nullable().meta({ description: 'City, or null.' }),
    country: z.string().nullable().meta({ description: 'English short name; inferred from the calling code when not given.' }),
    company: z.string().nullable().meta({ description: 'Name of the company that the contact works for, or null.' }),
    subscribed: z
      .boolean()
      .meta({ description: 'false after an opt-out, by the recipient or by the company. Campaigns skip the contact.' }),
    is_on_whatsapp: z.boolean().meta({ description: 'true once known from past messages; false while unknown.' }),
    enabled_ai_bot: z.boolean().meta({ description: 'Whether an AI bot may reply to this contact. Switchboard only stores the value.' }),
    marketing_blocked: z
      .boolean()
      .meta({ description: 'The recipient stopped marketing messages at the provider; only the recipient can undo it.' }),
    groups: z
      .array(
        z.object({
          id: z.int().meta({ description: 'The id of the group.' }),
          name: z.string().meta({ description: 'The name of the group.' }),
        }),
      )
      .meta({ description: 'Groups of the contact.' }),
    tags: z
      .array(
        z.object({
          id: z.int().meta({ description: 'The id of the tag.' }),
          name: z.string().meta({ description: 'The name of the tag.' }),
          color: z.string().meta({ description: 'Colour as #RRGGBB.' }),
        }),
      )
      .meta({ description: 'Tags of the contact.' }),
    custom: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).meta({ description: 'Values of custom fields by key.' }),
    created_at: timestamp,
    updated_at: timestamp,
    deleted_at: timestamp.optional().meta({ description: 'Only on deleted contacts, which only include_deleted lists.' }),
  })
  .meta({ id: 'Contact' });
export type ContactRecord = z.output<typeof contactRecord>;

/** When a filter has to scan more contacts than one call reads, `total` is partial and `next_cursor` continues the scan. */
const contactsPage = paginated(contactRecord)
  .extend({
    meta: pageMeta
      .extend({
        total_is_partial: z
          .literal(true)
          .optional()
          .meta({ description: 'The total covers only the contacts scanned so far. The page may be short; next_cursor continues.' }),
      })
      .meta({ description: 'Where this page stands in the list.' }),
  })
  .meta({ id: 'ContactPage' });

export const phoneNumber = text(64, 1).transform((value, context) => {
  const phone = normalizePhone(value);
  if (phone.ok) return phone.digits;
  context.addIssue({ code: 'custom', message: 'Must be a phone number with country code, 8 to 15 digits.' });
  return z.NEVER;
});

/** ISO 3166-1 numeric in the API (A3), alpha-2 inside. */
const countryId = wholeNumber(1, 999).transform((value, context) => {
  const country = countryByNumber(value);
  if (country !== undefined) return country;
  context.addIssue({ code: 'custom', message: 'Must be an ISO 3166-1 numeric country code.' });
  return z.NEVER;
});

/** Ids, names, or both (A5); names also as a comma-separated list. */
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
  error: `Must be a string of at most ${maxValueChars} characters, a number, true, false or null.`,
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

/** The body of POST and PUT. `company_name` is another name of `company`, `fields` of `custom` (A4, A7); the former of each wins. */
export const contactBody = z
  .object({
    phone: phoneNumber.meta({
      description: 'Phone number with country code, 8 to 15 digits; a leading + or 00 and punctuation are ignored.',
    }),
    name: text(255).nullish().meta({ description: 'Full name. null clears it.' }),
    email: z
      .union([z.literal('').transform(() => null), email], { error: 'Must be an email address.' })
      .nullish()
      .meta({ description: 'Email address. null or an empty string clears it.' }),
    city: text(100).nullish().meta({ description: 'City. null clears it.' }),
    country_id: countryId
      .nullish()
      .meta({ description: 'ISO 3166-1 numeric country code, see listCountries. Default: the country of the phone.' }),
    company_name: text(255).nullish().meta({ description: 'Another name of company.' }),
    company: text(255).nullish().meta({ description: 'Name of the company that the contact works for. null clears it.' }),
    subscribed: jsonBoolean.optional().meta({ description: 'false opts the contact out of campaigns. Default for a new contact: true.' }),
    enabled_ai_bot: jsonBoolean.optional().meta({ description: 'Whether an AI bot may reply to this contact. Default: false.' }),
    groups: groups
      .optional()
      .meta({ description: 'Group ids, group names, or both; names also as a comma-separated string. Unknown names create groups.' }),
    tags: z.array(id, { error: 'Must be a list of tag ids.' }).max(1_000).optional().meta({ description: 'Tag ids.' }),
    fields: fieldMap.optional().meta({ description: 'Another name of custom.' }),
    custom: fieldMap
      .optional()
      .meta({ description: 'Values of custom fields by key. null removes a value; an unknown key creates a text field.' }),
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

const country = z
  .object({
    id: z.int().meta({ description: 'ISO 3166-1 numeric code; the value for country_id.' }),
    name: z.string().meta({ description: 'English short name.' }),
    code: z.string().meta({ description: 'ISO 3166-1 alpha-2 code.' }),
  })
  .meta({ id: 'Country' });

const reader = { kind: 'token', scope: 'contacts:read', role: 'viewer' } as const;
const writer = { kind: 'token', scope: 'contacts:write', role: 'member' } as const;
const params = z.object({ id: pathId.meta({ description: 'The id of the contact.' }) });

export const contactRoutes = {
  listContacts: route({
    method: 'GET',
    path: '/api/v1/contacts',
    summary: 'List contacts, newest first',
    description:
      'Lists contacts, newest first; with update_from, by last change, oldest first. Filter by group, tag, search text or rules (filter_condition). Use page for the first pages and cursor for deep pagination or a synchronization. When a filter has to scan many contacts, meta.total_is_partial is true and next_cursor continues.',
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
    summary: 'Create or update a contact by phone',
    description:
      'Creates a contact, or updates the one that has this phone: given fields change, groups and tags are added. Variants of one number (for example with and without 00) are the same contact. A contact that was deleted in the last 30 days is restored.',
    caller: writer,
    limit: 'write',
    effect: 'write',
    body: contactBody,
    answers: {
      200: success(
        contactRecord
          .extend({ created: z.boolean().meta({ description: 'Whether the request created the contact.' }) })
          .meta({ id: 'UpsertedContact' }),
      ),
    },
    errors: ['validation_failed', 'plan_limit_reached'],
  }),
  getContact: route({
    method: 'GET',
    path: '/api/v1/contacts/{id}',
    summary: 'Get a contact',
    description: 'Returns a contact with its groups, tags, consent and custom fields.',
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
    description:
      'Replaces a contact: plain fields that are omitted are cleared; groups, tags and custom fields are replaced if given. subscribed and enabled_ai_bot stay when omitted, so that an omission never subscribes a contact again.',
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
    summary: 'List groups and custom fields of a contact',
    description:
      'Returns the groups and custom values of a contact, with the definitions of all custom fields, for example to render a form.',
    caller: reader,
    limit: 'read',
    effect: 'read',
    params,
    answers: {
      200: success(
        z
          .object({
            groups: contactRecord.shape.groups,
            fields: contactRecord.shape.custom,
            definitions: z.array(fieldRecord).meta({ description: 'Definitions of all custom fields of the company.' }),
          })
          .meta({ id: 'GroupsAndFields' }),
      ),
    },
    errors: ['not_found'],
  }),
  listCountries: route({
    method: 'GET',
    path: '/api/v1/countries',
    summary: 'List countries',
    description: 'Lists all countries by English name, with the ISO 3166-1 numeric codes that country_id takes.',
    caller: reader,
    limit: 'read',
    effect: 'read',
    answers: { 200: success(z.array(country)) },
    errors: [],
  }),
  deleteContact: route({
    method: 'DELETE',
    path: '/api/v1/contacts/{id}',
    summary: 'Delete a contact',
    description:
      'Deletes a contact: it is hidden from all lists and removed from its groups. For 30 days, createContact with the same phone restores it; then it is purged.',
    caller: writer,
    limit: 'write',
    effect: 'write',
    params,
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
};

/** Values by key, each with its request field for error messages. */
function given(under: 'fields' | 'custom', map: Record<string, string | number | boolean | null> = {}): [string, GivenValue][] {
  return Object.entries(map).map(([key, value]) => [key, { field: `${under}.${key}`, value }]);
}
