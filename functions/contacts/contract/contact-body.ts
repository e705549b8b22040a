import * as z from 'zod';
import { email, safeNumber, id, jsonBoolean, text, wholeNumber } from '../../../shared/contract/fields.ts';
import { countryByNumber } from './country.ts';
import { fieldKeyPattern, type GivenValue, maxFields, maxValueChars } from './custom-value.ts';
import { maxGroupNameChars, maxGroups, type NamedGroups } from './group.ts';
import { readPhone } from './phone.ts';

/**
 * The values of a contact as callers and the rows of an import give them; apart from the routes, which the import worker has no use for.
 * The phone stays as it was written: the service reads it by the company's default country.
 */
const phoneText = text(64, 1).superRefine((value, context) => {
  const phone = readPhone(value);
  if (!phone.ok && !phone.dependsOnCountry) context.addIssue({ code: 'custom', message: phone.reason });
});

/** ISO 3166-1 numeric in the API (A3), alpha-2 inside. */
const countryId = wholeNumber(1, 999).transform((value, context) => {
  const country = countryByNumber(value);
  if (country !== undefined) return country;
  context.addIssue({ code: 'custom', message: 'Must be an ISO 3166-1 numeric country code.' });
  return z.NEVER;
});

/** Ids, names, or both (A5); names also as a comma-separated list. The service knows which texts are ids. */
export const groups = z
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

const plainFields = {
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
  subscribed: jsonBoolean.optional().meta({
    description:
      'false opts the contact out of campaigns. Default for a new contact: the company setting `subscribed_by_default`, which is true at first.',
  }),
  enabled_ai_bot: jsonBoolean
    .optional()
    .meta({ description: 'Whether automated answers and an AI bot may reply to this contact. Default: false.' }),
  fields: fieldMap.optional().meta({ description: 'Another name of custom.' }),
  custom: fieldMap
    .optional()
    .meta({ description: 'Values of custom fields by key. null removes a value; an unknown key creates a text field.' }),
};

const valuesAndLabels = {
  ...plainFields,
  groups: groups.optional().meta({
    description:
      'Group ids, group names, or both; also as a comma-separated string. A text is a name; where no group has it and it is the id of one, that group is meant, because forms can only send text. Unknown names create groups.',
  }),
  tags: z.array(id, { error: 'Must be a list of tag ids.' }).max(1_000).optional().meta({ description: 'Tag ids.' }),
};

/** The body of POST and PUT. `company_name` is another name of `company`, `fields` of `custom` (A4, A7); the former of each wins. */
export const contactBody = z
  .object({
    phone: phoneText.meta({
      description:
        'Phone number with country code; a leading + or 00 and punctuation are ignored. A national number is read by the default country of the company.',
    }),
    ...valuesAndLabels,
  })
  .transform(({ tags, ...rest }) => ({ ...valuesOf(rest), tagIds: tags }));

/** The row of an import that names a known contact by its user id. */
export const knownContactBody = z
  .object(valuesAndLabels)
  .transform(({ tags, ...rest }) => ({ phone: '', ...valuesOf(rest), tagIds: tags }));
export type ContactBody = z.output<typeof contactBody>;

/** The body of PATCH: given fields change, and groups and tags are added and removed one by one. */
export const contactChanges = z
  .object({
    ...plainFields,
    subscribed: jsonBoolean.optional().meta({ description: 'false opts the contact out of campaigns, true opts it in.' }),
    add_groups: groups.optional().meta({ description: 'Groups to add the contact to: ids, names, or both. Unknown names create groups.' }),
    remove_groups: groups.optional().meta({ description: 'Groups to remove the contact from: ids, names, or both.' }),
    add_tags: z.array(id, { error: 'Must be a list of tag ids.' }).max(1_000).optional().meta({ description: 'Ids of tags to add.' }),
    remove_tags: z.array(id, { error: 'Must be a list of tag ids.' }).max(1_000).optional().meta({ description: 'Ids of tags to remove.' }),
  })
  .transform(({ add_groups, remove_groups, add_tags, remove_tags, ...rest }) => ({
    ...valuesOf(rest),
    groups: add_groups,
    tagIds: add_tags,
    removedGroups: remove_groups,
    removedTagIds: remove_tags ?? [],
  }));
export type ContactChanges = z.output<typeof contactChanges>;

/** Plain fields of a request under their own names. */
function valuesOf<T extends PlainFields>({ company_name, company, country_id, enabled_ai_bot, fields, custom, ...rest }: T) {
  return {
    ...rest,
    company: company_name === undefined ? company : company_name,
    country: country_id,
    enabledAiBot: enabled_ai_bot,
    custom: fields || custom ? new Map([...given('custom', custom), ...given('fields', fields)]) : undefined,
  };
}
type PlainFields = z.output<z.ZodObject<typeof plainFields>>;

/** Values by key, each with its request field for error messages. */
function given(under: 'fields' | 'custom', map: Record<string, string | number | boolean | null> = {}): [string, GivenValue][] {
  return Object.entries(map).map(([key, value]) => [key, { field: `${under}.${key}`, value }]);
}
