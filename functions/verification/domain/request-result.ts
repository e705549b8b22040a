import type { EndReason, StoredRequest } from '../contract/stored.ts';
import { attemptField, type BudgetField, requestOfResult, resultField, resultSourceField } from './request-budget.ts';

/**
 * The result of a request as its budget holds it, in numbers beside the counters of its attempts. The attempt with the correct code writes
 * it in the write that counts the attempt, so that a result is final once it can be shown, and the first one stands.
 */
export type RequestResult =
  | { status: 'verified'; via: NonNullable<StoredRequest['via']>; isOwnBrowser?: true; attemptSource?: string }
  | { status: 'failed'; reason: EndReason; attemptSource?: string }
  | { status: 'expired'; reason: 'expired'; attemptSource?: string };

/** A result as a number: zero while the request is open, else when it ended, epoch milliseconds, times eight, plus its place in `results`. */
export const openResult = 0;
/** The result, and the source of the attempt that brought it: its eight hexadecimal digits. */
export type ResultFields = Record<BudgetField<'result' | 'sourceOfResult'>, number>;

const results = [
  { status: 'verified', via: 'code' },
  { status: 'verified', via: 'link' },
  { status: 'verified', via: 'message' },
  { status: 'failed', reason: 'attempts_exhausted' },
  { status: 'failed', reason: 'delivery_failed' },
  { status: 'expired', reason: 'expired' },
  /** By a link that was opened from the address and browser that requested it. */
  { status: 'verified', via: 'link', isOwnBrowser: true },
] as const satisfies readonly RequestResult[];

/** The fields of a result. */
export const resultFields = (requestId: string, { attemptSource, ...result }: RequestResult, at: number): ResultFields => {
  const text = JSON.stringify(result);
  const place = results.findIndex((each) => JSON.stringify(each) === text);
  if (place < 0) throw new Error(`A request cannot end as ${text}.`);
  return {
    [resultField(requestId)]: at * 8 + place + 1,
    ...(attemptSource === undefined ? {} : { [resultSourceField(requestId)]: Number.parseInt(attemptSource, 16) }),
  };
};

/** What an attempt writes: the result of a correct code, or that the request stays open. */
export const attemptResult = (requestId: string, correct: 'correct' | undefined, source: string, at: number): ResultFields => {
  const fields = resultFields(requestId, { status: 'verified', via: 'code', attemptSource: source }, at);
  return correct ? fields : { ...fields, [resultField(requestId)]: openResult };
};

type Fields = Readonly<Record<string, unknown>>;

/** The result of a request in its budget; undefined while it is open. */
export const resultIn = (requestId: string, budget: Fields | undefined): (RequestResult & { endedAt: number }) | undefined => {
  const value = Number(budget?.[resultField(requestId)] ?? openResult);
  const result = results[(value % 8) - 1];
  if (value === openResult || !result) return undefined;
  const source = budget?.[resultSourceField(requestId)];
  return {
    ...result,
    endedAt: Math.floor(value / 8),
    ...(source === undefined ? {} : { attemptSource: Number(source).toString(16).padStart(8, '0') }),
  };
};

/** Whether the budget began a request. A call that did not win the budget may have written a row that belongs to nothing. */
export const isBegun = (requestId: string, budget: (Fields & { last: Readonly<Record<string, { id: string }>> }) | undefined): boolean =>
  resultIn(requestId, budget) !== undefined || Object.values(budget?.last ?? {}).some(({ id }) => id === requestId);

/** A pending request with the result that its budget has and its row may not have yet. */
export const withResult = <R extends Pick<StoredRequest, 'id' | 'status'> & Partial<StoredRequest>>(
  request: R,
  budget: Fields | undefined,
): R => {
  if (request.status !== 'pending' || !request.isDecidedByBudget) return request;
  const result = resultIn(request.id, budget);
  return result ? { ...request, ...result } : request;
};

/** The requests that a change of a budget verified by their code. */
export const newlyVerified = (
  before: Fields | undefined,
  after: Fields,
): { requestId: string; at: number; source: string; attempts: number }[] =>
  Object.keys(after)
    .filter((field) => after[field] !== before?.[field])
    .flatMap((field) => {
      const requestId = requestOfResult(field);
      if (requestId === undefined) return [];
      const result = resultIn(requestId, after);
      return result?.status === 'verified' && result.via === 'code'
        ? [{ requestId, at: result.endedAt, source: result.attemptSource ?? '', attempts: Number(after[attemptField(requestId)] ?? 0) }]
        : [];
    });

/** The results of requests that ended before this time, and that no slow call can bring any more. */
export const pastResultFields = (budget: Fields, endedBefore: number): BudgetField<'result' | 'sourceOfResult'>[] =>
  Object.keys(budget).flatMap((field) => {
    const id = requestOfResult(field);
    if (id === undefined) return [];
    const value = Number(budget[field]);
    return value !== openResult && value < endedBefore * 8 ? [resultField(id), resultSourceField(id)] : [];
  });
