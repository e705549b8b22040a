import { isProblem, problem, type Problem } from '../../../../shared/contract/problems.ts';
import { contactBody, type ContactBody, knownContactBody } from '../../contract/contact-body.ts';
import type { Contact } from '../../contract/stored.ts';
import { type GivenValues, merged } from '../../domain/contact.ts';
import type { CustomValue } from '../../contract/custom-value.ts';
import { parseFieldValue } from '../../domain/field.ts';
import { normalizedName } from '../../domain/group.ts';
import { type Column, mergeRows, normalizedTag, parseNames, rowToBody, type RowError } from '../../domain/imports/columns.ts';
import { canonicalPhone, countryOfPhone, readPhone } from '../../contract/phone.ts';
import type { Field } from '../../domain/field.ts';
import { getFieldDefinitions, listFieldDefinitions } from '../../store/field.ts';
import { listAllTags } from '../../store/label.ts';
import { createTag } from '../tags.ts';
import { newTag } from '../../contract/tag.ts';
import { getDefaultCountry } from '../phones.ts';
import { syncContacts, type SyncResult } from '../sync-contacts.ts';
import { validateContact } from '../validate-contact.ts';
import { getContactByUserId } from '../user-id.ts';
import { updateLiveContact } from '../upsert-by-identity.ts';
import { createMissingReferences, resolveReferences, type References } from '../references.ts';
import { findGroupIds } from '../group-ids.ts';

/** The outcome of one row of a file. */
export type RowOutcome = { is: 'created' | 'updated' | 'unchanged' } | { is: 'failed' | 'skipped_limit'; errors: readonly RowError[] };

/**
 * Upserts the rows of a file by phone, each validated on its own, with the same rules and effect as createContact. A row without a phone changes the
 * contact of its user id, and creates none: only the provider gives such an id. Repeating rows changes
 * nothing; `since`, the begin of the first attempt, lets a repeated attempt report what the first one created or updated.
 */
export const importRows = async (
  companyId: number,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  since: number,
  { subscribesNew: subscribedIfNew = false }: { subscribesNew?: boolean | undefined } = {},
): Promise<RowOutcome[]> => {
  const country = await getDefaultCountry(companyId);
  const tagIdOf = await resolveTags(companyId, columns, rows, country);
  const outcomes = new Map<number, RowOutcome>();
  const valid: (Row & { row: number })[] = [];
  for (const [row, fields] of rows.entries()) {
    const read = readRow(columns, fields, tagIdOf, country);
    const found = 'errors' in read ? read : await withKnownContact(companyId, read);
    if ('errors' in found) outcomes.set(row, { is: 'failed', errors: found.errors });
    else valid.push({ row, ...found });
  }
  const groups = await resolveGroups(companyId, valid);
  const fields = await resolveFields(companyId, valid);
  const all = mergeRows<Row>(valid).flatMap(({ rows: same, body, contact }) => {
    const referred = resolveRow(body, groups, fields);
    if (!('errors' in referred))
      return [
        {
          same,
          contact,
          canonical: canonicalPhone(body.phone),
          values: {
            ...body,
            ...referred,
            phoneCountry: countryOfPhone(body.phone),
            consentSource: 'import',
            subscribedIfNew,
          } satisfies GivenValues,
        },
      ];
    for (const row of same) outcomes.set(row, { is: 'failed', errors: referred.errors });
    return [];
  });
  const isOfPhone = ({ canonical }: { canonical: string }): boolean => canonical !== '';
  const entries = all.filter(isOfPhone);
  // the same for every attempt of these rows, and unique to them
  const name = `import-${since}-${entries[0]?.canonical ?? ''}`;
  const synced = await syncContacts(companyId, name, entries, validateContact);
  const changes = new Map(all.filter((each) => !isOfPhone(each)).map((each) => [each, each.contact]));
  const definitions = changes.size === 0 ? [] : await listFieldDefinitions(companyId);
  const changed = new Map<(typeof all)[number], SyncResult>();
  for (const [entry, contact] of changes) if (contact) changed.set(entry, await changeKnown(contact, entry.values, definitions));
  for (const [{ same }, met] of [...synced, ...changed]) {
    const outcome = isProblem(met) ? problemOutcome(met) : writtenOutcome(met.contact, since);
    for (const [index, row] of same.entries()) outcomes.set(row, index > 0 && outcome.is === 'created' ? { is: 'updated' } : outcome);
  }
  return rows.map((_, row) => outcomes.get(row) ?? { is: 'failed', errors: [{ column: '', reason: 'The row was not imported.' }] });
};

/** A row that was read. `userId`: it has no phone; `contact`: whom the provider knows by that id, where it has no phone either. */
interface Row {
  body: ContactBody;
  userId?: string;
  contact?: Contact;
}

/** The row with the phone of the contact that it names by user id, or with that contact. 1 RRU. */
export async function withKnownContact(companyId: number, { body, userId }: Row): Promise<Row | { errors: readonly RowError[] }> {
  if (userId === undefined) return { body };
  const contact = await getContactByUserId(companyId, userId);
  if (contact === undefined)
    return { errors: [{ column: 'user_id', reason: 'There is no contact with this user id: the provider gives it, and no file.' }] };
  return contact.phone === '' ? { body, userId, contact } : { body: { ...body, phone: contact.phone } };
}

async function changeKnown(contact: Contact, values: GivenValues, fields: readonly Field[]): Promise<SyncResult> {
  const written = await updateLiveContact(contact.companyId, contact.id, contact, (seen, at) =>
    validateContact(seen, merged(seen, values, at), fields),
  );
  if (written === 'missing' || written === 'taken')
    return problem('validation_failed', { errors: { user_id: ['The contact of this user id was deleted.'] } });
  return isProblem(written) ? written : { contact: written, created: false };
}

const writtenOutcome = ({ createdAt, updatedAt }: Contact, since: number): RowOutcome => ({
  is: createdAt >= since ? 'created' : updatedAt >= since ? 'updated' : 'unchanged',
});

const problemOutcome = ({ problem, message, errors }: Problem): RowOutcome =>
  problem === 'plan_limit_reached'
    ? { is: 'skipped_limit', errors: [{ column: '', reason: message ?? 'The plan allows no more contacts.' }] }
    : { is: 'failed', errors: rowErrors(errors ?? {}) };

export function readRow(
  columns: readonly Column[],
  fields: readonly string[],
  tagIdOf: TagIdOf,
  country: string | undefined,
): Row | { errors: readonly RowError[] } {
  const read = rowToBody(columns, fields, tagIdOf);
  if ('errors' in read) return read;
  const { userId } = read;
  const parsed = (userId === undefined ? contactBody : knownContactBody).safeParse(read.body);
  if (parsed.success) {
    if (userId !== undefined) return { body: parsed.data, userId };
    const phone = readPhone(parsed.data.phone, country);
    return phone.ok ? { body: { ...parsed.data, phone: phone.digits } } : { errors: [{ column: 'phone', reason: phone.reason }] };
  }
  return { errors: parsed.error.issues.map(({ path, message }) => ({ column: columnName(path.join('.')), reason: message })) };
}

export const rowErrors = (errors: Readonly<Record<string, readonly string[]>>): RowError[] =>
  Object.entries(errors).flatMap(([field, reasons]) => reasons.map((reason) => ({ column: columnName(field), reason })));

/** The column name of a field of the body. */
const columnName = (field: string): string =>
  field === 'country_id' ? 'country' : field.replace(/^fields\./, 'custom.').replace(/^(groups|tags)\..*/, '$1');

/** A cell may name a tag or give its id; a tag whose name looks like an id wins. */
export const tagIdsByName = (tags: readonly { id: number; name: string }[]): Map<string, number> =>
  new Map([...tags.map(({ id }) => [String(id), id] as const), ...tags.map(({ id, name }) => [normalizedTag(name), id] as const)]);

type TagIdOf = (name: string) => number | undefined;

/**
 * The tag that a cell means. Missing ones that valid rows name are created, as groups are; a number that is no id, a name that is too long, and
 * one beyond the limit stay missing.
 */
async function resolveTags(
  companyId: number,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  country: string | undefined,
): Promise<TagIdOf> {
  const place = columns.findIndex(({ is }) => is === 'tags');
  if (place < 0) return () => undefined;
  const known = tagIdsByName(await listAllTags(companyId));
  const missing = new Map<string, string>();
  const isCreatable = (name: string): boolean => !/^\d+$/.test(name) && newTag.safeParse({ name }).success;
  for (const fields of rows) {
    const names = parseNames((fields[place] ?? '').trim()).filter((name) => !known.has(normalizedTag(name)) && isCreatable(name));
    if (names.length === 0 || 'errors' in readRow(columns, fields.with(place, ''), () => undefined, country)) continue;
    for (const name of names) if (!missing.has(normalizedTag(name))) missing.set(normalizedTag(name), name);
  }
  for (const name of missing.values()) await createTag(companyId, { name });
  const ids = missing.size === 0 ? known : tagIdsByName(await listAllTags(companyId));
  return (name) => ids.get(normalizedTag(name));
}

/** Groups or fields that rows name, resolved once for all rows of a slice; or an error message. */
type Resolved<T> = ReadonlyMap<string, T | { refused: string }>;

/** Group ids by normalized name. Creates missing groups one by one, as createContact would, in the spelling of their first row. */
async function resolveGroups(companyId: number, rows: readonly { body: ContactBody }[]): Promise<Resolved<number>> {
  const names = new Map(
    rows
      .flatMap(({ body }) => body.groups?.names ?? [])
      .toReversed()
      .map((name) => [normalizedName(name), name]),
  );
  const known = new Map<string, number | { refused: string }>(await findGroupIds(companyId, [...names.values()]));
  for (const [normalized, name] of names) {
    if (known.has(normalized)) continue;
    const created = await createReference(companyId, { groups: { ids: [], names: [name] } });
    known.set(
      normalized,
      isProblem(created) ? { refused: firstReason(created) } : (created.groupIds?.[0] ?? { refused: 'The group was deleted.' }),
    );
  }
  return known;
}

/** Definitions of custom fields by key. Creates missing ones as text fields, if the company allows it. */
async function resolveFields(companyId: number, rows: readonly { body: ContactBody }[]): Promise<Resolved<Definition>> {
  const keys = [...new Set(rows.flatMap(({ body }) => [...(body.custom?.keys() ?? [])]))];
  const known = new Map<string, Definition | { refused: string }>(
    (await getFieldDefinitions(companyId, keys)).map((field) => [field.key, field]),
  );
  for (const key of keys) {
    if (known.has(key)) continue;
    const made = await createReference(companyId, { custom: new Map([[key, { field: `custom.${key}`, value: 'text' }]]) });
    known.set(key, isProblem(made) ? { refused: firstReason(made) } : { type: 'text', options: [] });
  }
  return known;
}

type Definition = Pick<Field, 'type' | 'options'>;

async function createReference(companyId: number, wanted: Partial<Pick<ContactBody, 'groups' | 'custom'>>) {
  const plan = await resolveReferences(companyId, { groups: wanted.groups, tagIds: undefined, custom: wanted.custom });
  return isProblem(plan) ? plan : createMissingReferences(companyId, plan);
}

const firstReason = ({ errors }: Problem): string => Object.values(errors ?? {})[0]?.[0] ?? 'It cannot be created.';

/** The ids and typed values of a body, or its errors. */
function resolveRow(body: ContactBody, groups: Resolved<number>, fields: Resolved<Definition>): References | { errors: RowError[] } {
  const errors: RowError[] = [];
  const groupIds = body.groups?.names.flatMap((name) => {
    const group = groups.get(normalizedName(name));
    if (typeof group === 'number') return [group];
    errors.push({ column: 'groups', reason: group?.refused ?? 'There is no such group.' });
    return [];
  });
  const custom = new Map<string, CustomValue>();
  for (const [key, { value }] of body.custom ?? []) {
    const field = fields.get(key);
    if (value === null) continue;
    if (field === undefined || 'refused' in field) {
      errors.push({ column: `custom.${key}`, reason: field?.refused ?? 'There is no such custom field.' });
      continue;
    }
    const typed = parseFieldValue(field.type, field.options, value);
    if (typed.ok) custom.set(key, typed.value);
    else errors.push({ column: `custom.${key}`, reason: typed.reason });
  }
  if (errors.length > 0) return { errors };
  return { groupIds, tagIds: body.tagIds, custom: body.custom && custom };
}
