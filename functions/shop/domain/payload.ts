import * as z from 'zod';
import { decimalOf } from './money.ts';

/** Readers of what outside systems send: nothing is required but what an adapter asks for, and what does not fit counts as not there. */
const lenient = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined);

/** Text without NUL, which the table would refuse in keys; numbers as their digits. Empty is not there. */
export const optionalText = lenient(
  z
    .union([z.string(), z.number().transform(String)])
    .transform((value) => value.toWellFormed().replaceAll('\u0000', '').trim())
    .transform((value) => (value === '' ? undefined : value)),
);

/** An amount of money as decimal text; a sign is dropped, what is no number is not there. */
export const decimal = lenient(
  z.union([z.string(), z.number()]).transform((value) => decimalOf(typeof value === 'string' ? value.replace(/^-/, '') : Math.abs(value))),
);

export const count = lenient(
  z
    .union([
      z.number(),
      z
        .string()
        .regex(/^-?\d{1,15}$/)
        .transform(Number),
    ])
    .transform((value) => Math.max(0, Math.trunc(value))),
);

/** ISO 8601 with a zone, epoch milliseconds. */
export const instant = lenient(z.string().transform((value) => timeOf(value)));

/** ISO 8601 without a zone, meant as UTC. */
export const utcInstant = lenient(z.string().transform((value) => timeOf(/[zZ]|[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`)));

export const optionalBoolean = lenient(z.boolean());

export const listOf = <S extends z.ZodType>(item: S) =>
  z
    .array(z.unknown())
    .optional()
    .catch(undefined)
    .transform((items) =>
      (items ?? []).flatMap((each) => {
        const read = item.safeParse(each);
        return read.success ? [read.data] : [];
      }),
    );

export const optionalObject = <S extends z.ZodRawShape>(shape: S) => lenient(z.object(shape));

/** The start of a text, whole characters only. */
export const truncate = (text: string, length: number): string => text.slice(0, length).toWellFormed();

function timeOf(text: string): number | undefined {
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
