import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { expiriesQueue } from '../contract/work.ts';
import { expiryDelaySeconds } from '../domain/expiry.ts';
import { expireRequest, findRequest } from '../store/request.ts';

/** A verification whose time may be over: ended, once; or, with time left, looked at again (a reuse made it longer). */
export const expire = async (companyId: number, requestId: string): Promise<void> => {
  const request = await findRequest(companyId, requestId, { consistent: true });
  if (request?.status !== 'pending') return;
  const at = now();
  const ended = request.expiresAt <= at && (await expireRequest(companyId, requestId, at));
  if (ended && ended.done) return;
  const expiresAt = (ended ? ended.current?.expiresAt : undefined) ?? request.expiresAt;
  if (ended && ended.current?.status !== 'pending') return;
  const message = { company_id: companyId, request_id: requestId };
  await send(expiriesQueue, [{ companyId, message, delaySeconds: expiryDelaySeconds(expiresAt, at) }]);
};
