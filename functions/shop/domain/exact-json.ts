import { parseExact } from '../../../shared/runtime/json.ts';

/** A JSON object whose whole numbers keep every digit: platform ids are beyond 2^53. Undefined when the text is not a JSON object. */
export const parseExactJson = (text: string): Record<string, unknown> | undefined => {
  try {
    const parsed = parseExact(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};
