/**
 * A CSV record with its line end (https://www.rfc-editor.org/rfc/rfc4180). A cell that a spreadsheet would run as a formula gets an apostrophe
 * in front, which the import takes off again; `isRaw` leaves cells as they are. See docs/decisions/csv-formulas.md.
 */
export const csvLine = (fields: readonly string[], { isRaw = false }: { isRaw?: boolean } = {}): string =>
  `${fields.map((field) => quotedIfNeeded(isRaw ? field : inertCell(field))).join(',')}\r\n`;

/** A cell that no spreadsheet executes. One that begins with apostrophes before such a character gets one more, so that none is lost. */
export const inertCell = (cell: string): string => (/^'*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);

/** The cell that `inertCell` was given. */
export const restoredCell = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

const quotedIfNeeded = (field: string): string => (/[",;\t|\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
