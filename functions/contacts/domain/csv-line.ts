/** A record as RFC 4180 has it, line end included. Values that a spreadsheet would run as a formula are kept as they are: this is data. */
export const csvLine = (fields: readonly string[]): string => `${fields.map(quotedIfNeeded).join(',')}\r\n`;

const quotedIfNeeded = (field: string): string => (/[",;\t|\r\n]|^\s|\s$/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
