/** A CSV record with its line end (https://www.rfc-editor.org/rfc/rfc4180). Values that look like formulas stay unchanged, so that an import reads them back. */
export const csvLine = (fields: readonly string[]): string => `${fields.map(quotedIfNeeded).join(',')}\r\n`;

const quotedIfNeeded = (field: string): string => (/[",;\t|\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
