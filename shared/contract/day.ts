import { text } from './fields.ts';

const isDate = (value: string): boolean => {
  const at = Date.parse(`${value}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(value);
};

/** A day as a date, which the calendar has. */
export const day = text(10, 1)
  .refine(isDate, { error: 'Must be a date such as 2026-11-21.' })
  .meta({ override: { type: 'string', format: 'date' } });
