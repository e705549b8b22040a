import * as z from 'zod';
import { type ProblemCode, problems } from './problems.ts';

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

/** What any error body may carry besides: how to fix the request, and the page that explains the code. */
const help = {
  remedy: z.string().optional().meta({ description: 'What the caller can do about it.' }),
  doc_url: z.string().optional().meta({ description: 'The page of the API reference that explains the code.' }),
};

const code = z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]).meta({
  id: 'ProblemCode',
  description: 'The stable name of the error. Compare this, never the message.',
});
const requestId = z.string().meta({ description: 'The id of the request, as in the header X-Request-Id. Quote it to support.' });
const retryAfter = z.int().optional().meta({ description: 'Seconds to wait before the next try.' });
const fieldErrors = z
  .record(z.string(), z.array(z.string()))
  .optional()
  .meta({ description: 'With `validation_failed`: the reasons by field; nested fields are written with dots.' });
const details = z.record(z.string(), z.unknown()).optional().meta({ description: 'Facts about the error that depend on its code.' });

/** Error bodies by the format that a route names: the messaging document, the verification document and the ERP's each fix one. */
export const problemBodies = {
  standard: z
    .object({
      status: z.literal('error').meta({ description: 'Always `error`.' }),
      message: z.string().min(1).meta({ description: 'What is wrong, for people. May change.' }),
      code,
      request_id: requestId,
      errors: fieldErrors,
      details,
      ...help,
    })
    .meta({ id: 'Problem', description: 'The body of an error.' }),
  verification: z
    .object({
      error: z.string().min(1).meta({ description: 'What is wrong, for people. May change.' }),
      code,
      trace_id: requestId,
      details: z
        .record(z.string(), z.unknown())
        .optional()
        .meta({ description: 'With `validation_failed` the reasons by field; otherwise facts about the error that depend on its code.' }),
      retry_after: retryAfter,
      ...help,
    })
    .meta({ id: 'VerificationProblem', description: 'The body of an error of the verification operations.' }),
  erp: z
    .object({
      success: z.literal(false).meta({ description: 'Always `false`.' }),
      message: z.string().min(1).meta({ description: 'What is wrong, for people. May change.' }),
      code,
      request_id: requestId,
      errors: fieldErrors,
      details,
      ...help,
    })
    .meta({ id: 'ErpProblem', description: 'The body of an error of the ERP operations.' }),
} as const;
export type ProblemFormat = keyof typeof problemBodies;
