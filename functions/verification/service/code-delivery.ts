import { getRequest } from '../store/request.ts';
import { finishRequest } from './finish-request.ts';

/**
 * What the provider says of a code's message. Only that the last one asked for could not be delivered matters: nothing is on its way any
 * more, and the verification ends (V10). 1 WRU and 2 RRU then, nothing else.
 */
export const recordCodeStatus = async (
  { companyId, requestId, send }: { companyId: number; requestId: string; send: number },
  status: string,
): Promise<void> => {
  if (status === 'failed') await recordUndelivered({ companyId, requestId, send });
};

/** No message of the request is on its way any more, if `send` was the last one asked for. */
export const recordUndelivered = async ({
  companyId,
  requestId,
  send,
}: {
  companyId: number;
  requestId: string;
  send: number;
}): Promise<void> => {
  const request = await getRequest(companyId, requestId, { consistent: true });
  if (request) await finishRequest(request, { status: 'failed', reason: 'delivery_failed' }, undefined, { sends: send });
};
