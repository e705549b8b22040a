import { findRequest } from '../store/request.ts';
import { end } from './ending.ts';

/**
 * What the provider says of a code's message. Only that the last one asked for could not be delivered matters: nothing is on its way any
 * more, and the verification ends (V10). 1 WRU and 2 RRU then, nothing else.
 */
export const takeCodeStatus = async (
  { companyId, requestId, send }: { companyId: number; requestId: string; send: number },
  status: string,
): Promise<void> => {
  if (status === 'failed') await undelivered({ companyId, requestId, send });
};

/** No message of the request is on its way any more, if `send` was the last one asked for. */
export const undelivered = async ({
  companyId,
  requestId,
  send,
}: {
  companyId: number;
  requestId: string;
  send: number;
}): Promise<void> => {
  const request = await findRequest(companyId, requestId, { consistent: true });
  if (request) await end(request, { status: 'failed', reason: 'delivery_failed' }, undefined, { sends: send });
};
