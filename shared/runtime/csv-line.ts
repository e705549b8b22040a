/**
 * A CSV record with its line end (https://www.rfc-editor.org/rfc/rfc4180). A cell that a spreadsheet would run as a formula gets an apostrophe
 * in front, which the import takes off again; `isRaw` leaves cells as they are. See docs/decisions/csv-formulas.md.
 */
export const csvLine = (fields: readonly string[], { isRaw = false }: { isRaw?: boolean } = {}): string =>
  `${fields.map((field) => quotedIfNeeded(isRaw ? field : inertCell(field))).join(',')}\r\n`;

/**
 * Where a spreadsheet would begin a formula: at the start of the cell, and behind each character that a spreadsheet of another locale takes as
 * a separator, inside quotes too. Blanks and quotes may come before it. https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /(^|[,;|\t\r\n])((?:[^\S\t\r\n]|")*)('*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
/** At the start of a cell a control character alone is enough, as a spreadsheet drops it. */
const control = /^('*)(?=[\t\r\n])/;

/** A cell that no spreadsheet executes. Where apostrophes stand before a formula already, one more is added, so that none is lost. */
export const inertCell = (cell: string): string => cell.replace(formula, "$1$2'$3").replace(control, "'$1");

/** The cell that `inertCell` was given. */
export const restoredCell = (cell: string): string =>
  cell
    .replace(control, withoutOne)
    .replace(formula, (_, start: string, blanks: string, apostrophes: string) => `${start}${blanks}${withoutOne(apostrophes)}`);

const withoutOne = (apostrophes: string): string => apostrophes.slice(1);

const quotedIfNeeded = (field: string): string => (/[",;\t|\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
