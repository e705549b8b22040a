import type { Command } from 'commander';

/** A record to print as text, or with --json as the API would return it. */
export type PrintableRecord = Readonly<Record<string, unknown>>;

/** Prints a list as a table of the named columns. */
export const printList = (command: Command, records: readonly PrintableRecord[], columns: readonly string[], none: string): void => {
  if (wantsJson(command)) return printJson(records);
  if (records.length === 0) return write(none);
  const rows = [
    columns.map((column) => column.replaceAll('_', ' ')),
    ...records.map((record) => columns.map((column) => cell(record[column]))),
  ];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => width(row[index] ?? ''))));
  for (const row of rows)
    write(
      row
        .map((text, index) => text + ' '.repeat((widths[index] ?? 0) - width(text)))
        .join('  ')
        .trimEnd(),
    );
};

/** Prints one record, one field per line. */
export const printRecord = (command: Command, record: PrintableRecord): void => {
  if (wantsJson(command)) return printJson(record);
  const fields = flattened(record);
  const longest = Math.max(...fields.map(([name]) => name.length));
  for (const [name, value] of fields) write(`${name.replaceAll('_', ' ').padEnd(longest)}  ${cell(value)}`);
};

/** Parts of a part have its name in front: `plan limits users`. */
const flattened = (record: PrintableRecord, before = ''): [string, unknown][] =>
  Object.entries(record).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
      ? flattened(value as PrintableRecord, `${before}${name} `)
      : [[`${before}${name}`, value]],
  );

/** Prints a record with secrets that cannot be read again; in JSON they are fields of the record. */
export const printSecrets = (command: Command, record: PrintableRecord, secrets: Readonly<Record<string, string>>): void => {
  if (wantsJson(command)) return printJson({ ...record, ...secrets });
  printRecord(command, record);
  write('');
  for (const [name, secret] of Object.entries(secrets)) write(`${name.replaceAll('_', ' ')}: ${secret}`);
  const isOne = Object.keys(secrets).length === 1;
  write(isOne ? '\nIt is shown only this once: store it now.' : '\nThey are shown only this once: store them now.');
};

/** Whether --json was given. */
export const wantsJson = (command: Command): boolean => command.optsWithGlobals<{ json?: boolean }>().json === true;

function printJson(value: unknown): void {
  write(JSON.stringify(value, null, 2));
}

function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(' ');
  if (typeof value === 'string')
    return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? `${value.slice(0, 16).replace('T', ' ')}Z` : printable(value);
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** Replaces control characters, because names come from users and must not move the terminal's cursor. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '?');
}

const graphemes = new Intl.Segmenter();

function width(text: string): number {
  return Array.from(graphemes.segment(text)).length;
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}
