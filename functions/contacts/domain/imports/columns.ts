import { countryByName } from './country-names.ts';
import type { plainColumns } from '../../contract/import.ts';
import { booleansByWord } from '../../../../shared/contract/fields.ts';
import { fieldKeyPattern, type GivenValue } from '../../contract/custom-value.ts';
import { canonicalPhone } from '../../contract/phone.ts';
import type { NamedGroups } from '../../contract/group.ts';

/** The meaning of a column. `ignored`: written by an export or an errors file, but not importable. */
export type Column = { is: (typeof plainColumns)[number] } | { is: 'custom'; key: string };

/** What the caller says of the columns of a file. */
export interface ColumnMapping {
  mapping?: Readonly<Record<string, string>> | undefined;
  ignoresUnknown?: boolean | undefined;
}

export const maxColumns = 130;

/** The columns of a header row, or an error message. Names ignore case; spaces and underscores are equal. */
export const parseHeader = (
  header: readonly string[],
  { mapping = {}, ignoresUnknown = false }: ColumnMapping = {},
): Column[] | { refused: string } => {
  const named = new Map(Object.entries(mapping).map(([name, meaning]) => [normalizedColumn(name), meaning]));
  if (header.length > maxColumns) return { refused: `The file has more than ${maxColumns} columns.` };
  const columns: Column[] = [];
  for (const [index, given] of header.entries()) {
    const column = columnOf(named.get(normalizedColumn(given)) ?? given) ?? (ignoresUnknown ? ({ is: 'ignored' } as const) : undefined);
    if (column === undefined)
      return {
        refused:
          given.trim() === '' ? `Column ${index + 1} has no name.` : `There is no column "${given.trim().slice(0, 60)}". ${knownColumns}`,
      };
    columns.push(column);
  }
  const names = columns.filter(({ is }) => is !== 'ignored').map((column) => (column.is === 'custom' ? `custom.${column.key}` : column.is));
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) return { refused: `The column ${duplicate} is there twice.` };
  return names.includes('phone') || names.includes('user_id')
    ? columns
    : { refused: `The first row must name the columns, and one of them must be phone or user_id. ${knownColumns}` };
};

/** An error of one value of a row. */
export interface RowError {
  column: string;
  reason: string;
}

/**
 * A row as the body of createContact, not yet validated. An empty cell leaves the stored value unchanged. `userId`: the row has no phone, and changes
 * the contact that the provider knows by it.
 */
export const rowToBody = (
  columns: readonly Column[],
  fields: readonly string[],
  tagIdOf: (name: string) => number | undefined,
): { body: Record<string, unknown>; userId?: string } | { errors: RowError[] } => {
  const errors: RowError[] = [];
  const body: Record<string, unknown> = {};
  const custom: Record<string, string> = {};
  const names: { first_name?: string; last_name?: string } = {};
  if (fields.slice(columns.length).some((value) => value.trim() !== ''))
    errors.push({ column: '', reason: `The row has ${fields.length} values for ${columns.length} columns.` });
  for (const [index, column] of columns.entries()) {
    const value = (fields[index] ?? '').trim();
    if (value === '' || column.is === 'ignored') continue;
    if (column.is === 'custom') custom[column.key] = value;
    else if (column.is === 'groups') body['groups'] = parseNames(value);
    else if (column.is === 'tags') {
      const names = parseNames(value);
      const unknown = names.filter((name) => tagIdOf(name) === undefined);
      if (unknown.length > 0) errors.push({ column: 'tags', reason: `There is no tag ${unknown.slice(0, 5).join(', ')}.` });
      else body['tags'] = names.map(tagIdOf);
    } else if (column.is === 'country') {
      const country = countryByName(value);
      if (country === undefined)
        errors.push({ column: 'country', reason: 'Must be a country: its English name, its ISO code or its number.' });
      else body['country_id'] = country;
    } else if (column.is === 'subscribed' || column.is === 'enabled_ai_bot') {
      const truth = cellBooleans.get(value.toLowerCase());
      if (truth === undefined) errors.push({ column: column.is, reason: 'Must be true or false.' });
      else body[column.is] = truth;
    } else if (column.is === 'first_name' || column.is === 'last_name') names[column.is] = value;
    else body[column.is] = value;
  }
  const fullName = [names.first_name, names.last_name].filter((part) => part !== undefined).join(' ');
  if (body['name'] === undefined && fullName !== '') body['name'] = fullName;
  const { user_id: userId, ...values } = body;
  if (body['phone'] === undefined && userId === undefined) errors.push({ column: 'phone', reason: 'There is no phone.' });
  if (Object.keys(custom).length > 0) values['custom'] = custom;
  if (errors.length > 0) return { errors };
  return { body: values, ...(body['phone'] === undefined && typeof userId === 'string' ? { userId } : {}) };
};

/** The names in one cell: separated by commas, or a JSON list where names contain commas. */
export const parseNames = (value: string): string[] => {
  if (value.startsWith('[')) {
    try {
      const parsed: unknown = JSON.parse(value);
      if (Array.isArray(parsed) && parsed.every((each) => typeof each === 'string' || typeof each === 'number')) return parsed.map(String);
    } catch {
      // not JSON: a name that begins with a bracket
    }
  }
  return value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
};

/** Names as one cell, for an export; parseNames reads it back. */
export const formatNames = (names: readonly string[]): string =>
  names.some((name) => /[,[\]"]|^\s|\s$/.test(name)) ? JSON.stringify(names) : names.join(',');

export const normalizedTag = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

/** The part of a contact's body that needs merging. */
interface Mergeable {
  phone: string;
  groups?: NamedGroups | undefined;
  tagIds?: readonly number[] | undefined;
  custom?: ReadonlyMap<string, GivenValue> | undefined;
}

/**
 * Merges rows of the same phone, or else of the same user id, so that a repeated slice writes nothing the second time: the last value of each field
 * wins, groups and tags add up. `rows`: the rows merged into one body.
 */
export const mergeRows = <R extends { body: Mergeable; userId?: string }>(
  rows: readonly (R & { row: number })[],
): (R & { rows: number[] })[] => {
  const byIdentity = new Map<string, R & { rows: number[] }>();
  for (const each of rows) {
    const identity = each.body.phone === '' ? `user:${each.userId}` : canonicalPhone(each.body.phone);
    const earlier = byIdentity.get(identity);
    if (earlier === undefined) byIdentity.set(identity, { ...each, rows: [each.row] });
    else {
      earlier.rows.push(each.row);
      earlier.body = merged(earlier.body, each.body);
    }
  }
  return [...byIdentity.values()];
};

function merged<B extends Mergeable>(before: B, after: B): B {
  const given = Object.fromEntries(Object.entries(after).filter(([, value]) => value !== undefined));
  const groups =
    before.groups && after.groups
      ? { ids: [...before.groups.ids, ...after.groups.ids], names: [...before.groups.names, ...after.groups.names] }
      : (after.groups ?? before.groups);
  return {
    ...before,
    ...given,
    phone: before.phone,
    groups,
    tagIds: before.tagIds && after.tagIds ? [...before.tagIds, ...after.tagIds] : (after.tagIds ?? before.tagIds),
    custom: before.custom && after.custom ? new Map([...before.custom, ...after.custom]) : (after.custom ?? before.custom),
  };
}

function columnOf(given: string): Column | undefined {
  const trimmed = given.replace(/^\uFEFF/, '').trim();
  const key = /^(?:custom|fields?)\.\s*(.+)$/i.exec(trimmed)?.[1];
  if (key !== undefined) return fieldKeyPattern.test(key) ? { is: 'custom', key } : undefined;
  const is = columnNames.get(normalizedColumn(trimmed));
  return is && { is };
}

const normalizedColumn = (name: string): string =>
  name
    .replace(/^\uFEFF/, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_');

/** Our names, and those of the exports of Google Contacts, HubSpot, Wati and Twilio. */
const columnNames = new Map<string, Exclude<Column['is'], 'custom'>>([
  ...(
    ['phone', 'phone_number', 'mobile', 'mobile_number', 'whatsapp', 'whatsapp_number', 'mobile_phone_number', 'phone_1_value'] as const
  ).map((name) => [name, 'phone'] as const),
  ...(['name', 'full_name', 'contact_name', 'display_name'] as const).map((name) => [name, 'name'] as const),
  ...(['email', 'e_mail', 'email_address', 'e_mail_1_value'] as const).map((name) => [name, 'email'] as const),
  ['user_id', 'user_id'],
  ['city', 'city'],
  ...(['country', 'country_id', 'country_code', 'country/region'] as const).map((name) => [name, 'country'] as const),
  ...(['company', 'company_name', 'organization_name', 'organization_1_name'] as const).map((name) => [name, 'company'] as const),
  ...(['groups', 'group'] as const).map((name) => [name, 'groups'] as const),
  ...(['tags', 'tag'] as const).map((name) => [name, 'tags'] as const),
  ...(['first_name', 'given_name'] as const).map((name) => [name, 'first_name'] as const),
  ...(['last_name', 'family_name'] as const).map((name) => [name, 'last_name'] as const),
  ...(['subscribed', 'allow_broadcast', 'allowbroadcast', 'opt_in'] as const).map((name) => [name, 'subscribed'] as const),
  ['enabled_ai_bot', 'enabled_ai_bot'],
  ...(
    [
      'ignored',
      'id',
      'username',
      'reachable_by',
      'is_on_whatsapp',
      'marketing_blocked',
      'blocked',
      'created_at',
      'updated_at',
      'line',
      'reasons',
    ] as const
  ).map((name) => [name, 'ignored'] as const),
]);

const knownColumns =
  'Columns are phone, user_id, name, email, city, country, company, groups, tags, subscribed, enabled_ai_bot and custom.<key>.';

/** Spreadsheets also abbreviate. */
const cellBooleans: ReadonlyMap<string, boolean> = new Map([...booleansByWord, ['y', true], ['n', false]]);
