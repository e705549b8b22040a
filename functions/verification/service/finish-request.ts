import { now } from '../../../shared/runtime/clock.ts';
import type { Written } from '../../../shared/table/entity.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { attemptsAt } from '../domain/request-budget.ts';
import { getRequestBudget, type RequestBudget, type RequestBudgetId } from '../store/request-budget.ts';
import { updateRequestToFinished, type FinishCondition } from '../store/request.ts';

export type RequestResult =
  | { status: 'verified'; via: NonNullable<StoredRequest['via']> }
  | { status: 'failed' | 'expired'; reason: string };
type FinishableRequest = Pick<StoredRequest, 'companyId' | 'profileId' | 'person' | 'id'>;

/**
 * Ends a pending verification, if it still is, and with it says how often it was guessed at (V32). 1 WRU; 1 RRU more for whoever does not
 * have the guard at hand.
 */
export const finishRequest = async (
  request: FinishableRequest,
  ended: RequestResult,
  guard?: RequestBudget,
  stillSo?: FinishCondition,
): Promise<Written<StoredRequest>> => {
  const counted = guard ?? (await getRequestBudget(requestBudgetIdOf(request), { consistent: true }));
  return updateRequestToFinished(
    request.companyId,
    request.id,
    { ...ended, endedAt: now(), attempts: attemptsAt(request.id, counted) },
    stillSo,
  );
};

export const requestBudgetIdOf = ({ companyId, profileId, person }: RequestBudgetId): RequestBudgetId => ({ companyId, profileId, person });
