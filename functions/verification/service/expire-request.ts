import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { expiriesQueue } from '../contract/work.ts';
import { expiryDelaySeconds } from '../domain/expiry.ts';
import { getRequest } from '../store/request.ts';
import { finishRequest } from './finish-request.ts';

/** A verification whose time may be over: ended, once; or, with time left, looked at again (a reuse made it longer). */
export const expireRequest = async (companyId: number, requestId: string): Promise<void> => {
  const request = await getRequest(companyId, requestId, { consistent: true });
  if (request?.status !== 'pending') return;
  const at = now();
  const ended =
    request.expiresAt <= at
      ? await finishRequest(request, { status: 'expired', reason: 'expired' }, undefined, { expiresBy: at })
      : undefined;
  if (ended?.done) return;
  const left = ended ? ended.current : request;
  if (left?.status !== 'pending') return;
  const message = { company_id: companyId, request_id: requestId };
  await send(expiriesQueue, [{ companyId, message, delaySeconds: expiryDelaySeconds(left.expiresAt, at) }]);
};
