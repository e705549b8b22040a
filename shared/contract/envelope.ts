import * as z from 'zod';
import { type ProblemCode, problems } from './problems.ts';

/** A record with the envelope of a success. */
export const success = <S extends z.ZodType>(data: S) => z.object({ status: z.literal('success'), message: z.string().min(1), data });

export const pageLinks = z
  .object({
    first: z.string().nullable().meta({ description: 'The URL of the first page.' }),
    last: z.string().nullable().meta({ description: 'The URL of the last page.' }),
    prev: z.string().nullable().meta({ description: 'The URL of the previous page; null on the first.' }),
    next: z.string().nullable().meta({ description: 'The URL of the next page; null on the last.' }),
  })
  .meta({ id: 'PageLinks', description: 'URLs of other pages, with the filters of this one.' });

export const pageMeta = z
  .object({
    current_page: z.int().meta({ description: 'The number of this page, from 1.' }),
    last_page: z.int().meta({ description: 'The number of the last page.' }),
    per_page: z.int().meta({ description: 'Records a page, as requested.' }),
    total: z.int().meta({ description: 'Records in all.' }),
    next_cursor: z.string().nullable().meta({ description: 'Send it as `cursor` for the next page; null on the last.' }),
  })
  .meta({ id: 'PageMeta', description: 'Where this page stands in the list.' });

/** Where a page stands in a list that is read by cursor alone. */
export const cursorMeta = z
  .object({
    has_more: z.boolean().meta({ description: 'Whether there are older ones.' }),
    next_cursor: z.string().nullable().meta({ description: 'Send it as `cursor` for the next page; null at the end.' }),
  })
  .meta({ id: 'CursorMeta' });

/** A list's page. Of a named record it is named too: `ContactPage` for `Contact`, one schema however many routes answer it. */
export const paginated = <S extends z.ZodType>(item: S): PageOf<S> => {
  const known = pages.get(item);
  if (known) return known as PageOf<S>;
  const { id } = z.globalRegistry.get(item) ?? {};
  const page = pageOf(item);
  const named = id === undefined ? page : page.meta({ id: `${id}Page` });
  pages.set(item, named);
  return named;
};

const pageOf = <S extends z.ZodType>(item: S) =>
  z.object({
    data: z.array(item).meta({ description: 'The records of this page.' }),
    links: pageLinks,
    meta: pageMeta,
    status: z.literal('success').meta({ description: 'Always `success`.' }),
    message: z.string().min(1).meta({ description: 'What the list holds, for people.' }),
  });
type PageOf<S extends z.ZodType> = ReturnType<typeof pageOf<S>>;

const pages = new WeakMap<z.ZodType, unknown>();

/** The answer of every delete: the id of what was deleted. */
export const deleted = z
  .object({
    status: z.literal('success').meta({ description: 'Always `success`.' }),
    message: z.string().min(1).meta({ description: 'What was deleted, for people.' }),
    data: z
      .object({
        id: z.int().meta({ description: 'The id of the deleted record.' }),
        deleted: z.literal(true).meta({ description: 'Always true.' }),
      })
      .meta({ description: 'The deleted record.' }),
  })
  .meta({ id: 'Deleted', description: 'The record is deleted.' });

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
  .meta({ id: 'FieldErrors' })
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
