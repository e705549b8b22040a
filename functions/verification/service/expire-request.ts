import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { expiriesQueue } from '../contract/work.ts';
import { expiryDelaySeconds } from '../domain/expiry.ts';
import { getRequest } from '../store/request.ts';
import { finishRequest } from './finish-request.ts';

/** Finishes a request whose expiry has passed. A request that a reuse extended meanwhile is enqueued again. */
export const expireRequest = async (companyId: number, requestId: string): Promise<void> => {
  const request = await getRequest(companyId, requestId, { consistent: true });
  if (request?.status !== 'pending') return;
  const at = now();
  const finished =
    request.expiresAt <= at
      ? await finishRequest(request, { status: 'expired', reason: 'expired' }, undefined, { expiresBy: at })
      : undefined;
  if (finished?.done) return;
  const pending = finished ? finished.current : request;
  if (pending?.status !== 'pending') return;
  const message = { company_id: companyId, request_id: requestId };
  await send(expiriesQueue, [{ companyId, message, delaySeconds: expiryDelaySeconds(pending.expiresAt, at) }]);
};
