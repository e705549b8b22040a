import * as z from 'zod';

/** The envelopes of specification 1§1 and decision G10. */

export const success = <S extends z.ZodType>(data: S) => z.object({ status: z.literal('success'), message: z.string().min(1), data });

export const pageLinks = z.object({
  first: z.string().nullable(),
  last: z.string().nullable(),
  prev: z.string().nullable(),
  next: z.string().nullable(),
});

export const pageMeta = z.object({
  current_page: z.int(),
  last_page: z.int(),
  per_page: z.int(),
  total: z.int(),
  next_cursor: z.string().nullable(),
});

export const paginated = <S extends z.ZodType>(item: S) =>
  z.object({ data: z.array(item), links: pageLinks, meta: pageMeta, status: z.literal('success'), message: z.string().min(1) });

/** `data` of every delete of the messaging document (G9). */
export const deleted = success(z.object({ id: z.int(), deleted: z.literal(true) }));

/** The body of every error but those of the verification document (G1). */
export const problemBody = z.object({
  status: z.literal('error'),
  message: z.string().min(1),
  code: z.string(),
  request_id: z.string(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});
