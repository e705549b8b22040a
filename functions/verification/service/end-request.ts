import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { expiriesQueue } from '../contract/work.ts';
import { expiryDelaySeconds } from '../domain/expiry.ts';
import { isBegun } from '../domain/request-result.ts';
import { deleteRequest, getRequest, updateRequestToFinished } from '../store/request.ts';
import { getRequestBudget } from '../store/request-budget.ts';
import { finishRequest, requestBudgetIdOf } from './finish-request.ts';

/**
 * Writes the result of a correct code to the request, 1 WRU, or finishes a request whose expiry has passed. A request that a reuse extended
 * meanwhile is enqueued again.
 */
export const endRequest = async (
  companyId: number,
  requestId: string,
  verified?: { at: number; source: string; attempts: number },
): Promise<void> => {
  if (verified) {
    const { at: endedAt, source: attemptSource, attempts } = verified;
    await updateRequestToFinished(companyId, requestId, { status: 'verified', via: 'code', attemptSource, endedAt, attempts });
    return;
  }
  const request = await getRequest(companyId, requestId, { consistent: true });
  if (request?.status !== 'pending') return;
  const at = now();
  const budget = request.expiresAt <= at ? await getRequestBudget(requestBudgetIdOf(request), { consistent: true }) : undefined;
  // its call died, or lost the budget to another, before it began
  if (request.isDecidedByBudget && request.expiresAt <= at && request.claimedSend === 0 && !isBegun(requestId, budget))
    return deleteRequest(companyId, requestId);
  const finished =
    request.expiresAt <= at ? await finishRequest(request, { status: 'expired', reason: 'expired' }, budget, { expiresBy: at }) : undefined;
  if (finished?.done) return;
  const pending = finished ? finished.current : request;
  if (pending?.status !== 'pending') return;
  const message = { company_id: companyId, request_id: requestId };
  await send(expiriesQueue, [{ companyId, message, delaySeconds: expiryDelaySeconds(pending.expiresAt, at) }]);
};
