/**
 * JSON with one space of indentation, in which whatever fits on a line stands on one. A third of the size of the usual two-space form,
 * and a change of one field is still a change of one line.
 */
export const compactJson = (value: unknown, width = 160): string => `${printed(value, '', width)}\n`;

/** What lies deeper stands on one line, however long: an operation's response, a property of a schema. */
const maxDepth = 2;

function printed(value: unknown, indent: string, width: number): string {
  const line = JSON.stringify(value);
  if (line.length + indent.length <= width || indent.length >= maxDepth || typeof value !== 'object' || value === null) return line;
  const deeper = `${indent} `;
  const [open, close, entries] = Array.isArray(value)
    ? ['[', ']', value.map((each) => printed(each, deeper, width))]
    : [
        '{',
        '}',
        Object.entries(value)
          .filter(([, each]) => each !== undefined)
          .map(([key, each]) => `${JSON.stringify(key)}:${printed(each, deeper, width)}`),
      ];
  return `${open}\n${entries.map((entry) => deeper + entry).join(',\n')}\n${indent}${close}`;
}
