/**
 * JSON whose whole numbers keep every digit: those beyond 2^53 become texts. The provider's ids of templates come as numbers of 16 and
 * more digits, and a number read as a float would name another template. Throws what JSON.parse throws.
 */
export const parseExact = (json: string): unknown => (longNumber.test(json) ? JSON.parse(json, asExactText) : JSON.parse(json));

/** Only then is the slower reading needed. */
const longNumber = /[:[,]\s*-?\d{16}/;

function asExactText(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || context?.source === undefined) return value;
  return /^-?\d+$/.test(context.source) ? context.source : value;
}

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
