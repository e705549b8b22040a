/** A column of a file: its name, and its value of a row. */
export interface CsvColumn<T> {
  name: string;
  value: (row: T) => string | number | boolean | null | undefined;
}

/** Rows as RFC 4180 has them. A text that a spreadsheet would run as a formula gets an apostrophe before it. */
export const csvOf = <T>(columns: readonly CsvColumn<T>[], rows: readonly T[]): string =>
  [columns.map(({ name }) => cell(name)), ...rows.map((row) => columns.map(({ value }) => cell(value(row))))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');

const cell = (value: string | number | boolean | null | undefined): string => {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Hands a text to the browser as a file. The mark at its beginning has spreadsheets read it as UTF-8. */
export const download = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
};
