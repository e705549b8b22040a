/**
 * Parses a JSON object and keeps integers beyond 2^53 as their source text: platform ids are that large, and a float would change their
 * last digits. Undefined when the text is not a JSON object.
 */
export const parseExactJson = (text: string): Record<string, unknown> | undefined => {
  try {
    const parsed: unknown = (JSON.parse as ParseWithSource)(text, (_key, value, context) =>
      typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '') ? context?.source : value,
    );
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};

/**
 * The reviver's third argument is missing in the compiler's library:
 * https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/JSON/parse
 */
type ParseWithSource = (text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown) => unknown;
