import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { contactBody, type ContactBody } from '../contract/contact.ts';
import type { Contact, GivenValues } from '../domain/contact.ts';
import { type CustomValue, fieldValue } from '../domain/field.ts';
import { foldedName } from '../domain/group.ts';
import { collapsed, type Column, foldedTag, rowBody, type RowError } from '../domain/import.ts';
import { canonicalPhone, countryOfPhone } from '../domain/phone.ts';
import { type Field, findFields } from '../store/field.ts';
import { findGroupIds } from '../store/group.ts';
import { listTags } from '../store/label.ts';
import { syncContacts } from './sync.ts';
import { judged } from './judge.ts';
import { establish, lookUp, type References } from './references.ts';

/** What came of one row of a file. */
export type RowOutcome = { is: 'created' | 'updated' | 'unchanged' } | { is: 'failed' | 'skipped_limit'; errors: readonly RowError[] };

/**
 * Rows of a file as upserts by phone, each judged alone: what POST /contacts takes, a row may have, and with the same effect. The same
 * rows again change nothing; `since`, when work on them began first, lets a second round tell what the first one did.
 */
export const importRows = async (
  companyId: number,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  since: number,
): Promise<RowOutcome[]> => {
  const tagIds = columns.some(({ is }) => is === 'tags') ? tagIdsByName(await listTags(companyId)) : new Map<string, number>();
  const outcomes = new Map<number, RowOutcome>();
  const good: { row: number; body: ContactBody }[] = [];
  for (const [row, fields] of rows.entries()) {
    const read = readRow(columns, fields, tagIds);
    if ('errors' in read) outcomes.set(row, { is: 'failed', errors: read.errors });
    else good.push({ row, body: read.body });
  }
  const groups = await groupsOf(companyId, good);
  const fields = await fieldsOf(companyId, good);
  const entries = collapsed(good).flatMap(({ rows: same, body }) => {
    const referred = references(body, groups, fields);
    if (!('errors' in referred))
      return [
        {
          same,
          canonical: canonicalPhone(body.phone),
          values: { ...body, ...referred, phoneCountry: countryOfPhone(body.phone) } satisfies GivenValues,
        },
      ];
    for (const row of same) outcomes.set(row, { is: 'failed', errors: referred.errors });
    return [];
  });
  // the name is the same for every try of these rows, and no other's
  const name = `import-${since}-${entries[0]?.canonical ?? ''}`;
  for (const [{ same }, met] of await syncContacts(companyId, name, entries, judged)) {
    const outcome = isProblem(met) ? refused(met) : done(met.contact, since);
    for (const [index, row] of same.entries()) outcomes.set(row, index > 0 && outcome.is === 'created' ? { is: 'updated' } : outcome);
  }
  return rows.map((_, row) => outcomes.get(row) ?? { is: 'failed', errors: [{ column: '', reason: 'The row was not worked.' }] });
};

const done = ({ createdAt, updatedAt }: Contact, since: number): RowOutcome => ({
  is: createdAt >= since ? 'created' : updatedAt >= since ? 'updated' : 'unchanged',
});

const refused = ({ problem, message, errors }: Problem): RowOutcome =>
  problem === 'plan_limit_reached'
    ? { is: 'skipped_limit', errors: [{ column: '', reason: message ?? 'The plan has no room for another contact.' }] }
    : { is: 'failed', errors: rowErrors(errors ?? {}) };

function readRow(
  columns: readonly Column[],
  fields: readonly string[],
  tagIds: ReadonlyMap<string, number>,
): { body: ContactBody } | { errors: readonly RowError[] } {
  const read = rowBody(columns, fields, tagIds);
  if ('errors' in read) return read;
  const parsed = contactBody.safeParse(read.body);
  if (parsed.success) return { body: parsed.data };
  return { errors: parsed.error.issues.map(({ path, message }) => ({ column: columnName(path.join('.')), reason: message })) };
}

const rowErrors = (errors: Readonly<Record<string, readonly string[]>>): RowError[] =>
  Object.entries(errors).flatMap(([field, reasons]) => reasons.map((reason) => ({ column: columnName(field), reason })));

/** A field of the body as the file names it. */
const columnName = (field: string): string =>
  field === 'country_id' ? 'country' : field.replace(/^fields\./, 'custom.').replace(/^(groups|tags)\..*/, '$1');

/** A tag may be given by its id; a name that looks like one wins. */
const tagIdsByName = (tags: readonly { id: number; name: string }[]): Map<string, number> =>
  new Map([...tags.map(({ id }) => [String(id), id] as const), ...tags.map(({ id, name }) => [foldedTag(name), id] as const)]);

/** What rows refer to by a name, found for all rows of a slice at once; or why it cannot be had. */
type Known<T> = ReadonlyMap<string, T | { refused: string }>;

/** Group ids by folded name; groups that are new are made, one after another, as a contact's own upsert would. */
async function groupsOf(companyId: number, rows: readonly { body: ContactBody }[]): Promise<Known<number>> {
  const names = new Map(rows.flatMap(({ body }) => body.groups?.names ?? []).map((name) => [foldedName(name), name]));
  const known = new Map<string, number | { refused: string }>(await findGroupIds(companyId, [...names.values()]));
  for (const [folded, name] of names) {
    if (known.has(folded)) continue;
    const made = await establishOne(companyId, { groups: { ids: [], names: [name] } });
    known.set(folded, isProblem(made) ? { refused: reasonOf(made) } : (made.groupIds?.[0] ?? { refused: 'The group is gone.' }));
  }
  return known;
}

/** Definitions of custom fields by key; unknown ones are defined as texts, as far as the company allows. */
async function fieldsOf(companyId: number, rows: readonly { body: ContactBody }[]): Promise<Known<Definition>> {
  const keys = [...new Set(rows.flatMap(({ body }) => [...(body.custom?.keys() ?? [])]))];
  const known = new Map<string, Definition | { refused: string }>((await findFields(companyId, keys)).map((field) => [field.key, field]));
  for (const key of keys) {
    if (known.has(key)) continue;
    const made = await establishOne(companyId, { custom: new Map([[key, { field: `custom.${key}`, value: 'text' }]]) });
    known.set(key, isProblem(made) ? { refused: reasonOf(made) } : { type: 'text', options: [] });
  }
  return known;
}

type Definition = Pick<Field, 'type' | 'options'>;

async function establishOne(companyId: number, wanted: Partial<Pick<ContactBody, 'groups' | 'custom'>>) {
  const plan = await lookUp(companyId, { groups: wanted.groups, tagIds: undefined, custom: wanted.custom });
  return isProblem(plan) ? plan : establish(companyId, plan);
}

const reasonOf = ({ errors }: Problem): string => Object.values(errors ?? {})[0]?.[0] ?? 'It cannot be made.';

/** The ids and typed values that a body means, or what is wrong with it. */
function references(body: ContactBody, groups: Known<number>, fields: Known<Definition>): References | { errors: RowError[] } {
  const errors: RowError[] = [];
  const groupIds = body.groups?.names.flatMap((name) => {
    const group = groups.get(foldedName(name));
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
    const typed = fieldValue(field.type, field.options, value);
    if (typed.ok) custom.set(key, typed.value);
    else errors.push({ column: `custom.${key}`, reason: typed.reason });
  }
  if (errors.length > 0) return { errors };
  return { groupIds, tagIds: body.tagIds, custom: body.custom && custom };
}
