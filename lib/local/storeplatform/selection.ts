/** The part of GraphQL that a stand-in needs: which fields a query selects, and a record cut down to them. */
export interface Selected {
  name: string;
  /** As written between the brackets. */
  args: string;
  fields: Selected[];
}

/** Throws on anything that is not a plain selection. */
export const selectionOf = (query: string): Selected[] => {
  const tokens = query.match(/\w+|[{}()]|[^\s\w{}()]+/g) ?? [];
  let at = 0;
  const inBrackets = (): string => {
    const words: string[] = [];
    for (let depth = 0; at < tokens.length; ) {
      const token = tokens[at++] ?? '';
      if (token === '(') depth++;
      if (token === ')' && --depth === 0) break;
      words.push(token);
    }
    return words.join(' ');
  };
  const fields = (): Selected[] => {
    if (tokens[at++] !== '{') throw new Error('syntax error, expecting {');
    const found: Selected[] = [];
    while (tokens[at] !== '}') {
      const name = tokens[at++] ?? '';
      if (!/^\w+$/.test(name)) throw new Error(`syntax error, unexpected ${name || 'end of file'}`);
      found.push({ name, args: tokens[at] === '(' ? inBrackets() : '', fields: tokens[at] === '{' ? fields() : [] });
    }
    at++;
    return found;
  };
  if (tokens[at] === 'query' || tokens[at] === 'mutation') at++;
  if (tokens[at] === '(') inBrackets();
  return fields();
};

/** The record with the selected fields alone; a field that the type does not have is an error, as at the platform. */
export const selectFields = (value: unknown, fields: readonly Selected[], type: string): unknown => {
  if (Array.isArray(value)) return value.map((each) => selectFields(each, fields, type));
  if (typeof value !== 'object' || value === null || fields.length === 0) return value;
  const record = value as Record<string, unknown>;
  return Object.fromEntries(
    fields.map(({ name, fields: inner }) => {
      if (!(name in record)) throw new Error(`Field '${name}' doesn't exist on type '${type}'`);
      return [name, selectFields(record[name], inner, name)];
    }),
  );
};
