import { closeSync, createReadStream, existsSync, openSync, readSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { maxFields } from '../../functions/contacts/contract/custom-value.ts';
import { formatNames } from '../../functions/contacts/domain/imports/columns.ts';
import { CsvReader, type CsvRecord, detectDelimiter, textStart } from '../../functions/contacts/domain/imports/csv-reader.ts';
import { csvLine } from '../../shared/runtime/csv-line.ts';
import { Failure, UsageError } from './failure.ts';
import { contactsIn, type ExportedContact, type ExportRow, type ImportSource } from './import-sources.ts';

/** Where a converted export lies while it is imported. It has personal data, as the export has. */
export interface Converted {
  file: string;
  /** Undefined: it was converted by an earlier run, which is continued. */
  contacts: number | undefined;
  /** Rows without a phone, and those that cannot be read. */
  leftOut: number | undefined;
}

/**
 * Makes of an export of another product a file that the import reads: one row for each phone, with what all its rows say. A run that was
 * interrupted finds the file again, unless the export is newer.
 */
export const convertExport = async (file: string, source: ImportSource, { restart }: { restart: boolean }): Promise<Converted> => {
  const converted = `${file}.switchboard.csv`;
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new UsageError(`There is no file ${file}.`);
  if (!restart && existsSync(converted) && statSync(converted).mtimeMs >= found.mtimeMs)
    return { file: converted, contacts: undefined, leftOut: undefined };
  const contacts = new Map<string, ExportedContact>();
  let leftOut = 0;
  for await (const row of rowsOf(file)) {
    const inRow = row === undefined ? [] : contactsIn(source, row);
    if (inRow.length === 0) leftOut += 1;
    for (const each of inRow) contacts.set(each.phone, merged(contacts.get(each.phone), each));
  }
  if (contacts.size === 0) throw new Failure(`${file} has no contact that could be read as an export of ${source}.`);
  const draft = `${converted}.part`;
  writeFileSync(draft, linesOf([...contacts.values()]), { mode: 0o600 });
  renameSync(draft, converted);
  return { file: converted, contacts: contacts.size, leftOut };
};

/** Values that are given win over those that are not, the later decision over the earlier one. */
function merged(before: ExportedContact | undefined, after: ExportedContact): ExportedContact {
  if (!before) return after;
  const isLater = before.subscribed === undefined || (after.decidedAt ?? 0) >= (before.decidedAt ?? 0);
  const decision = after.subscribed !== undefined && isLater ? after : before;
  return {
    ...before,
    ...after,
    groups: [...new Set([...(before.groups ?? []), ...(after.groups ?? [])])],
    subscribed: decision.subscribed,
    decidedAt: decision.decidedAt,
    custom: { ...before.custom, ...after.custom },
  };
}

const plainFields = ['phone', 'name', 'email', 'city', 'country', 'company'] as const;

function linesOf(contacts: readonly ExportedContact[]): string {
  const keys = [...new Set(contacts.flatMap(({ custom = {} }) => Object.keys(custom)))];
  if (keys.length > maxFields) throw new Failure(`The export has ${keys.length} fields of its own; at most ${maxFields} can be imported.`);
  const header = [...plainFields, 'groups', 'subscribed', ...keys.map((key) => `custom.${key}`)];
  const rows = contacts.map((contact) => [
    ...plainFields.map((name) => contact[name] ?? ''),
    formatNames(contact.groups ?? []),
    contact.subscribed === undefined ? '' : String(contact.subscribed),
    ...keys.map((key) => contact.custom?.[key] ?? ''),
  ]);
  return [header, ...rows].map((cells) => csvLine(cells)).join('');
}

/** The rows of a CSV file, the lines of JSON, or the elements of a JSON list, whatever holds it; undefined: a row that cannot be read. */
async function* rowsOf(file: string): AsyncGenerator<ExportRow | undefined> {
  const isPacked = file.endsWith('.gz');
  const bytes = isPacked ? createReadStream(file).pipe(createGunzip()) : createReadStream(file);
  const first = isPacked ? '{' : firstCharacter(file);
  if (first === '[') yield* (JSON.parse((await buffer(bytes)).toString('utf8')) as unknown[]).map(asRow);
  else if (first === '{') yield* jsonRows(bytes);
  else yield* csvRows(bytes);
}

const asRow = (value: unknown): ExportRow | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ExportRow) : undefined;

/** Lines of JSON; or one text over several lines, as an answer of an API is written. */
async function* jsonRows(bytes: NodeJS.ReadableStream): AsyncGenerator<ExportRow | undefined> {
  let whole: string[] | undefined;
  let isFirst = true;
  for await (const line of createInterface({ input: bytes, crlfDelay: Infinity })) {
    if (whole) whole.push(line);
    else if (line.trim() !== '') {
      const parsed = parsedOr(line);
      if (parsed === undefined && isFirst) whole = [line];
      else yield* recordsIn(parsed);
      isFirst = false;
    }
  }
  if (whole) yield* recordsIn(parsedOr(whole.join('\n')));
}

/** An answer of an API has its records in a list. */
function recordsIn(value: unknown): (ExportRow | undefined)[] {
  const row = asRow(value);
  if (!row || row['contacts'] !== undefined) return [row];
  const listed = ['contact_list', 'payload', 'messages'].map((name) => row[name]).find((each) => Array.isArray(each));
  return listed ? (listed as unknown[]).map(asRow) : [row];
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function* csvRows(bytes: AsyncIterable<unknown>): AsyncGenerator<ExportRow | undefined> {
  let reader: CsvReader | undefined;
  let header: readonly string[] | undefined;
  const rows = function* (records: readonly CsvRecord[]): Generator<ExportRow | undefined> {
    for (const { fields, problem } of records) {
      if (header === undefined) header = fields;
      else yield problem ? undefined : Object.fromEntries(header.map((name, at) => [name, fields[at] ?? '']));
    }
  };
  for await (const chunk of bytes) {
    const given = chunk as Buffer;
    const begin = reader ? 0 : textStart(given);
    if (begin === undefined) throw new Failure('The file is UTF-16. Save it as "CSV UTF-8".');
    reader ??= new CsvReader(detectDelimiter(given.subarray(begin)), { offset: 0, line: 1 });
    yield* rows(reader.push(given.subarray(begin)));
  }
  if (reader) yield* rows(reader.end());
}

function firstCharacter(file: string): string {
  const start = Buffer.alloc(64);
  const handle = openSync(file, 'r');
  const length = readSync(handle, start);
  closeSync(handle);
  return start
    .subarray(0, length)
    .toString('utf8')
    .replace(/^[\uFEFF\s]+/, '')
    .charAt(0);
}
