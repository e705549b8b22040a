/** Reading the messages that the provider accepted, whose form is the provider's: whatever is missing is empty. */
export const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
export const words = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
export const list = (value: unknown): readonly Readonly<Record<string, unknown>>[] => (Array.isArray(value) ? value.map(record) : []);
