/**
 * JSON with whole numbers beyond 2^53 kept as the text they were written as: platforms' ids are such numbers, and a float would change
 * their last digits. Undefined when it is no JSON object.
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

/** The reviver's third argument, which the compiler's library does not know yet. */
type ParseWithSource = (text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown) => unknown;
