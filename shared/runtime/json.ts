/**
 * JSON whose whole numbers keep every digit: those beyond 2^53 become texts. The provider's ids of templates come as numbers of 16 and
 * more digits, and a number read as a float would name another template. Throws what JSON.parse throws, and where values are nested so deep that
 * code which walks or writes them would exhaust the stack.
 */
export const parseExact = (json: string): unknown => {
  if (isNestedTooDeep(json)) throw new SyntaxError(`JSON is nested more than ${maxDepth} deep.`);
  return longNumber.test(json) ? JSON.parse(json, asExactText) : JSON.parse(json);
};

const maxDepth = 100;

/** One pass without recursion. Brackets within texts do not count. */
function isNestedTooDeep(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = endOfText(json, at);
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth > maxDepth) return true;
  }
  return false;
}

function endOfText(json: string, from: number): number {
  for (let at = json.indexOf('"', from + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return json.length;
}

/** Only then is the slower reading needed. */
const longNumber = /[:[,]\s*-?\d{16}/;

function asExactText(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || context?.source === undefined) return value;
  return /^-?\d+$/.test(context.source) ? context.source : value;
}

/** The value of JSON bytes; undefined: they are not JSON. */
export const jsonOf = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
};

/** JSON with sorted names and without undefined members: equal values have equal texts. */
export const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`)
      .join(',')}}`;
  return JSON.stringify(value) ?? 'null';
};
