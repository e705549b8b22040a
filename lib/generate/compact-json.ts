/** JSON with one space of indentation, in which whatever fits on a line stands on one: a change of one field is a change of one line. */
export const compactJson = (value: unknown, width = 200): string => `${printed(value, '', width)}\n`;

function printed(value: unknown, indent: string, width: number): string {
  const line = onOneLine(value);
  if (line.length + indent.length <= width || typeof value !== 'object' || value === null) return line;
  const deeper = `${indent} `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const entries = Array.isArray(value)
    ? value.map((each) => printed(each, deeper, width))
    : fieldsOf(value).map(([key, each]) => `${JSON.stringify(key)}: ${printed(each, deeper, width)}`);
  return `${open}\n${entries.map((entry) => deeper + entry).join(',\n')}\n${indent}${close}`;
}

function onOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  const fields = fieldsOf(value).map(([key, each]) => `${JSON.stringify(key)}: ${onOneLine(each)}`);
  return fields.length === 0 ? '{}' : `{${fields.join(', ')}}`;
}

const fieldsOf = (value: object): [string, unknown][] => Object.entries(value).filter(([, each]) => each !== undefined);
