import * as z from 'zod';
import { decimalOf } from './money.ts';

/** Lenient parsers for foreign payloads: every field is optional, and a value that does not fit reads as missing. */
const lenient = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined);

/** Text without NUL, which table keys must not contain; numbers as digits; empty text as missing. */
export const optionalText = lenient(
  z
    .union([z.string(), z.number().transform(String)])
    .transform((value) => value.toWellFormed().replaceAll('\u0000', '').trim())
    .transform((value) => (value === '' ? undefined : value)),
);

/** An amount as decimal text. The sign is dropped. */
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

/** An ISO 8601 time with a zone, as epoch milliseconds. */
export const instant = lenient(z.string().transform((value) => timeOf(value)));

/** An ISO 8601 time; UTC when it has no zone. */
export const utcInstant = lenient(z.string().transform((value) => timeOf(/[zZ]|[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`)));

/** Whether the body is `{"id": ...}` and nothing else, as platforms send deletions. */
export const isIdAlone = (body: Readonly<Record<string, unknown>>): boolean => Object.keys(body).every((name) => name === 'id');

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

/** The first characters of a text, without half a surrogate pair at the end. */
export const truncate = (text: string, length: number): string => text.slice(0, length).toWellFormed();

/** The text when it is an http or https URL. */
export const webUrl = (url: string | undefined): string | undefined =>
  url !== undefined && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;

function timeOf(text: string): number | undefined {
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

/** Texts of a web page in a payload: `&ndash;`, `&#8211;`, `&amp;`. Unknown names stay as they are. */
export const decodeEntities = (text: string): string =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities.get(name.toLowerCase()) ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
  });

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
  ['ndash', '–'],
  ['mdash', '—'],
  ['hellip', '…'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['ldquo', '“'],
  ['rdquo', '”'],
]);
