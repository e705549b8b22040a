import { now } from '../../../shared/runtime/clock.ts';
import type { Written } from '../../../shared/table/entity.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { attemptsAt } from '../domain/request-budget.ts';
import { type FinishCondition, updateRequestToFinished } from '../store/request.ts';
import { getRequestBudget, type RequestBudget, type RequestBudgetId } from '../store/request-budget.ts';

export type RequestResult =
  | { status: 'verified'; via: NonNullable<StoredRequest['via']>; attemptSource?: string }
  | { status: 'failed' | 'expired'; reason: string; attemptSource?: string };
type FinishableRequest = Pick<StoredRequest, 'companyId' | 'profileId' | 'identifierHash' | 'id'>;

/**
 * Finishes a request that is still pending, with its number of attempts for the event. Of concurrent calls one succeeds. 1 WRU; 1 RRU more
 * without the budget at hand.
 */
export const finishRequest = async (
  request: FinishableRequest,
  result: RequestResult,
  budget?: RequestBudget,
  condition?: FinishCondition,
): Promise<Written<StoredRequest>> => {
  const counted = budget ?? (await getRequestBudget(requestBudgetIdOf(request), { consistent: true }));
  return updateRequestToFinished(
    request.companyId,
    request.id,
    { ...result, endedAt: now(), attempts: attemptsAt(request.id, counted) },
    condition,
  );
};

export const requestBudgetIdOf = ({ companyId, profileId, identifierHash }: RequestBudgetId): RequestBudgetId => ({
  companyId,
  profileId,
  identifierHash,
});
