import * as z from 'zod';
import { looseBoolean, text } from '../../../shared/contract/fields.ts';

/** The callers of CRM operations, and fields that several contracts share. */
export const reader = { kind: 'token', scope: 'crm:read', role: 'viewer' } as const;
export const writer = { kind: 'token', scope: 'crm:write', role: 'member' } as const;
export const owner = { kind: 'token', scope: 'crm:write', role: 'owner' } as const;

/** The page size of CRM lists. */
export const perPage = 25;

/** The version of the record that the caller has read. */
export const version = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^[0-9]{1,15}$/, { error: 'Must be the version of the record.' })
        .transform(Number),
    ],
    { error: 'Must be the version of the record.' },
  )
  .refine((value) => Number.isSafeInteger(value) && value > 0, { error: 'Must be the version of the record.' })
  .meta({ override: { type: 'integer', minimum: 1 }, description: 'The version of the record that the caller has read.' });

const isoWithOffset = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$/;
const isoDate = /^\d{4}-\d{2}-\d{2}$/;
const isoWall = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?$/;

/** A time with its offset, as epoch milliseconds. */
export const timeWithOffset = text(40, 1).transform((value, context) => {
  const ms = isoWithOffset.test(value) ? instantOf(value) : undefined;
  if (ms !== undefined) return ms;
  context.addIssue({ code: 'custom', message: 'Must be an ISO 8601 time with its offset, such as 2026-11-30T09:00:00+01:00.' });
  return z.NEVER;
});

/** A date or time in any ISO 8601 form, as epoch milliseconds; UTC without an offset. A date is its first or last millisecond. */
export const dateOrTime = (dateMeans: 'first' | 'last') =>
  text(40, 1).transform((value, context) => {
    const ms = isoDate.test(value)
      ? instantOf(`${value}T${dateMeans === 'first' ? '00:00:00' : '23:59:59.999'}Z`)
      : isoWithOffset.test(value)
        ? instantOf(value)
        : isoWall.test(value)
          ? instantOf(`${value}Z`)
          : undefined;
    if (ms !== undefined) return ms;
    context.addIssue({ code: 'custom', message: 'Must be a date or a time in ISO 8601.' });
    return z.NEVER;
  });

export const flag = looseBoolean.optional();

export const retryKey = text(64, 1).meta({ description: 'The same key with the same content returns the same record.' }).optional();

/** Only real dates between the years 1970 and 9999: `Date` would roll the 30th of February over. */
export const instantOf = (value: string): number | undefined => {
  const iso = value.replace(' ', 'T').replace(',', '.').toUpperCase();
  const ms = Date.parse(iso.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  const day = Date.parse(`${iso.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(ms) || Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== iso.slice(0, 10)) return undefined;
  return ms < 0 || ms >= 253_402_300_800_000 ? undefined : ms;
};
