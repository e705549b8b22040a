/** A cell as spreadsheets read it: quoted, and nothing that they would run as a formula. */
const cell = (value: string | number | boolean | null | undefined): string => {
  const words = value === null || value === undefined ? '' : String(value);
  const harmless = typeof value === 'string' && /^[=+\-@\t\r]/.test(words) ? `'${words}` : words;
  return `"${harmless.replaceAll('"', '""')}"`;
};

/** Saves rows as a CSV file, with their names in the first line. */
export const saveCsv = (
  name: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number | boolean | null | undefined)[])[],
): void => {
  const lines = [columns, ...rows].map((row) => row.map(cell).join(','));
  // spreadsheets read UTF-8 by its mark
  const url = URL.createObjectURL(new Blob([`\uFEFF${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: `${name}.csv` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
