import { now } from '../../../shared/runtime/clock.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { Written } from '../../../shared/table/entity.ts';
import type { StoredRequest } from '../contract/stored.ts';
import type { PreviousRequest } from '../domain/decision.ts';
import { attemptsAt } from '../domain/request-budget.ts';
import { type RequestResult, resultFields, resultIn } from '../domain/request-result.ts';
import { type FinishCondition, getRequest, updateRequestToFinished } from '../store/request.ts';
import { getRequestBudget, type RequestBudget, type RequestBudgetId, updateRequestResult } from '../store/request-budget.ts';

type FinishableRequest = Pick<PreviousRequest, 'companyId' | 'id' | 'purpose' | 'isDecidedByBudget'>;

/**
 * Finishes a request that is still pending, with its number of attempts for the event: first in its budget, where of all results the first
 * one stands, then in its row. 2 WRU; 1 RRU more without the budget at hand.
 */
export const finishRequest = async (
  request: FinishableRequest & RequestBudgetId,
  result: RequestResult,
  readBudget?: RequestBudget,
  { pricing, ...condition }: FinishCondition & Pick<Partial<StoredRequest>, 'pricing'> = {},
): Promise<Written<StoredRequest>> => {
  const { companyId, id } = request;
  const priced = pricing === undefined ? {} : { pricing };
  let budget = readBudget ?? (await getRequestBudget(requestBudgetIdOf(request), { consistent: true }));
  const attempt = async (): Promise<Written<StoredRequest> | typeof conflict> => {
    const endedAt = now();
    if (!budget || !request.isDecidedByBudget)
      return updateRequestToFinished(companyId, id, { ...result, ...priced, endedAt, attempts: attemptsAt(id, budget) }, condition);
    const before = resultIn(id, budget);
    if (before) {
      // the call that ended it may have died before it wrote the row
      const written = await updateRequestToFinished(companyId, id, { ...before, attempts: attemptsAt(id, budget) });
      return { done: false, current: written.done ? written.item : written.current };
    }
    if (!isMet(condition, request, budget)) {
      const current = await getRequest(companyId, id, { consistent: true });
      // a resend whose call died between budget and row sends nothing: the row says which code is the last one
      if (condition.sends === undefined || current?.sends !== condition.sends) return { done: false, current };
    }
    const ended = await updateRequestResult(budget, id, resultFields(id, result, endedAt));
    if (ended.done) return updateRequestToFinished(companyId, id, { ...result, ...priced, endedAt, attempts: attemptsAt(id, ended.item) });
    budget = await getRequestBudget(requestBudgetIdOf(request), { consistent: true });
    return conflict;
  };
  return retryOnConflict(8, attempt);
};

/** Whether the latest request of its purpose was neither extended nor sent again; a replaced one no call changes any more. */
const isMet = ({ expiresBy, sends }: FinishCondition, { id, purpose }: FinishableRequest, { last }: RequestBudget): boolean => {
  const latest = last[purpose];
  if (latest?.id !== id) return true;
  return (expiresBy === undefined || latest.expiresAt <= expiresBy) && (sends === undefined || latest.sends === sends);
};

export const requestBudgetIdOf = ({ companyId, profileId, identifierHash }: RequestBudgetId): RequestBudgetId => ({
  companyId,
  profileId,
  identifierHash,
});
