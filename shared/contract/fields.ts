import * as z from 'zod';
import { textReason } from './refusal-words.ts';

/**
 * The fields that every contract is built from. Rules of decisions G2, G11, G21 and G23 live here, once. `override` is what the API
 * reference shows in place of the ways in which a value may be written.
 */

/** Trimmed text without NUL; lengths count characters after trimming. `error`: what anything else than a text is refused with. */
export const text = (maxLength: number, minLength = 0, { error = textReason }: { error?: string | typeof textReason } = {}) =>
  z
    .string({ error })
    .trim()
    .min(minLength, { error: minLength === 1 ? 'Must not be empty.' : `Must have at least ${minLength} characters.` })
    .max(maxLength, { error: `Must have at most ${maxLength} characters.` })
    .refine((value) => !value.includes('\u0000'), { error: 'Must not contain NUL characters.' });

/** A secret of another system that is sent to it in a header, which takes no other characters. */
export const inHeader = (secret: z.ZodString) =>
  secret.regex(/^[ -~]*$/, { error: 'Must have only letters, digits and signs of ASCII: copy it once more.' });

/** Whether every number in the data is as it was written: beyond 2^53 - 1 whole numbers change when JSON is read. */
export const hasSafeNumbers = (value: unknown): boolean => {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return typeof value !== 'object' || value === null || Object.values(value).every(hasSafeNumbers);
};
const unsafeNumber = { error: `Numbers go to ${Number.MAX_SAFE_INTEGER}; send longer ones as text.` };

export const safeNumber = z.number({ error: 'Must be a number.' }).refine(hasSafeNumbers, unsafeNumber);

/** Data that is passed on as it came. */
export const withSafeNumbers = <S extends z.ZodType>(schema: S): S => schema.refine(hasSafeNumbers, unsafeNumber);

/** For ids and words of others, which some send as numbers. */
export const numberAsText = safeNumber.transform(String);

/** A positive integer id; as text too, because queries and forms only have text. */
export const id = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^[0-9]{1,16}$/, { error: 'Must be a positive whole number.' })
        .transform(Number),
    ],
    { error: 'Must be a positive whole number.' },
  )
  .refine((value) => Number.isSafeInteger(value) && value > 0, { error: 'Must be a positive whole number.' })
  .meta({ override: { type: 'integer', minimum: 1 } });

/** An id in a path. Anything that is not one is simply not found (G2). */
export const pathId = z
  .string()
  .regex(/^[1-9][0-9]{0,15}$/)
  .transform(Number)
  .refine(Number.isSafeInteger)
  .meta({ override: { type: 'integer', minimum: 1 } });

/** What true and false may be written as, in lower case. */
export const booleansByWord: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
]);

/** A boolean in a query or a form: true/false/1/0/yes/no as text (G23). */
export const looseBoolean = z
  .union([z.boolean(), z.number(), z.string()], { error: 'Must be true or false.' })
  .transform((value, context) => booleanOf(String(value).trim().toLowerCase(), context))
  .meta({ override: { type: 'boolean' } });

/** A boolean in JSON: true/false, also 1 and 0 (G23). */
export const jsonBoolean = z
  .union([z.boolean(), z.literal(1), z.literal(0)], { error: 'Must be true or false.' })
  .transform((value) => value === true || value === 1)
  .meta({ override: { type: 'boolean' } });

/** For a rule between fields: it is evaluated beside those of the fields themselves, so that one answer names all that is missing. */
export const besideFields = { when: ({ value }: { value: unknown }): boolean => typeof value === 'object' && value !== null };

/** An object that needs one of some fields, not empty; `reason`: what it is refused with, where the others are no equals of the first. */
export const withOneOf = <S extends z.ZodType>(schema: S, fields: readonly string[], reason?: string): S =>
  schema.superRefine((given, context) => {
    const isGiven = fields.some((field) => !['', undefined].includes(Reflect.get(given as object, field) as string | undefined));
    const names = `${fields.slice(0, -1).join(', ')} and ${fields.at(-1)}`;
    if (!isGiven) context.addIssue({ code: 'custom', path: fields.slice(0, 1), message: reason ?? `One of ${names} is required.` });
  }, besideFields);

export const email = text(254)
  .pipe(z.email({ error: 'Must be an email address.' }))
  .meta({ override: { type: 'string', format: 'email', maxLength: 254 } });

/** A whole number given as a number or as digits, within bounds. */
export const wholeNumber = (min: number, max: number) =>
  z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^-?[0-9]{1,15}$/, { error: `Must be a whole number from ${min} to ${max}.` })
          .transform(Number),
      ],
      { error: `Must be a whole number from ${min} to ${max}.` },
    )
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, { error: `Must be a whole number from ${min} to ${max}.` })
    .meta({ override: { type: 'integer', minimum: min, maximum: max } });

/**
 * `page`, `limit`/`per_page` and `cursor` of every list (G10, G11), with the list's own filters. Values outside the bounds are refused,
 * never clamped.
 */
export const paging = <F extends z.ZodRawShape = Record<never, z.ZodType>>(defaultLimit: number, maxLimit = 100, filters?: F) =>
  z
    .object({
      ...(filters ?? ({} as F)),
      page: wholeNumber(1, 1_000_000_000).optional(),
      limit: wholeNumber(1, maxLimit).optional(),
      per_page: wholeNumber(1, maxLimit).optional(),
      cursor: text(2_000, 1).optional(),
    })
    .transform((query) => {
      const { page, limit, per_page, cursor } = query as { page?: number; limit?: number; per_page?: number; cursor?: string };
      const filtered = query as z.output<z.ZodObject<F>>;
      return { ...filtered, page: page ?? 1, limit: limit ?? per_page ?? defaultLimit, cursor };
    });

/** Timestamps on the wire: UTC with microseconds (G7). */
export const timestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/)
  .meta({ format: 'date-time', example: '2026-11-21T12:00:00.000000Z' });

function booleanOf(word: string, context: z.core.$RefinementCtx): boolean {
  const truth = booleansByWord.get(word);
  if (truth === undefined) {
    context.addIssue({ code: 'custom', message: 'Must be true or false.' });
    return z.NEVER;
  }
  return truth;
}

/** A user as records name one: who wrote a note, who has a task. */
export const namedUser = z.object({
  id: z.int().meta({ description: 'The id of the user.' }),
  name: z.string().meta({ description: 'The name of the user.' }),
});
