import { isProblem, problem, type Problem } from '../contract/problems.ts';
import type { Request } from '../contract/route.ts';
import type { CursorPage, Page } from '../table/page.ts';

/** An answer whose body is its own shape. */
export const answer = <const S extends number, B>(status: S, body: B, headers: Record<string, string> = {}) => ({ status, body, headers });

/** `{status, message, data}`. */
export const ok = <T>(data: T, message: string) => ({ status: 200 as const, body: { status: 'success' as const, message, data } });

/** The answer to a record, as mapOk gives it. */
export const withMessage =
  (message: string) =>
  <T>(record: T) =>
    ok(record, message);

export const okDeleted = (id: number, message: string) => ok({ id, deleted: true as const }, message);

/** A list with links and meta (G10): absolute links that keep the query, never the token. Pages without a number have no link. */
export const okPage = <T>(request: Pick<Request, 'url' | 'rawQuery'>, page: Page<T>, message: string) => {
  const lastPage = Math.max(1, Math.ceil(page.total / page.limit));
  const link = (number: number): string => {
    const query = new URLSearchParams(request.rawQuery);
    query.delete('cursor');
    query.set('page', String(number));
    return `${request.url}?${query.toString()}`;
  };
  const hasNumber = (number: number): boolean => !page.isPartial && (page.depth === undefined || number * page.limit <= page.depth);
  return {
    status: 200 as const,
    body: {
      data: page.items,
      links: {
        first: link(1),
        last: !page.hasOpenTotal && hasNumber(lastPage) ? link(lastPage) : null,
        prev: page.page > 1 ? link(Math.min(page.page - 1, lastPage)) : null,
        next: page.page < lastPage && hasNumber(page.page + 1) ? link(page.page + 1) : null,
      },
      meta: { current_page: page.page, last_page: lastPage, per_page: page.limit, total: page.total, next_cursor: page.nextCursor ?? null },
      status: 'success' as const,
      message,
    },
  };
};

/** A list without page numbers: whether it goes on, and from where. */
export const okByCursor = <T>({ items, nextCursor }: CursorPage<T>, message: string) => {
  const { status, body } = ok(items, message);
  return { status, body: { ...body, meta: { has_more: nextCursor !== undefined, next_cursor: nextCursor ?? null } } };
};

/** The record, or "not found" with the body that a foreign record has too (G5). */
export const orNotFound = <T>(value: T | undefined): T | Problem<'not_found'> => value ?? problem('not_found');

/** The answer to a value; a refusal is its own answer. */
export const mapOk = <T, A>(outcome: T, give: (value: Exclude<T, Problem>) => A): A | Extract<T, Problem> =>
  isProblem(outcome) ? (outcome as Extract<T, Problem>) : give(outcome as Exclude<T, Problem>);
