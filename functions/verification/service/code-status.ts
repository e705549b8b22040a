import { now } from '../../../shared/runtime/clock.ts';
import { failSend } from '../store/request.ts';

/**
 * What the provider says of a code's message. Only that the last one asked for could not be delivered matters: nothing is on its way any
 * more, and the verification ends (V10). 1 WRU then, nothing else.
 */
export const takeCodeStatus = async (
  { companyId, requestId, send }: { companyId: number; requestId: string; send: number },
  status: string,
): Promise<void> => {
  if (status === 'failed') await failSend(companyId, requestId, send, now());
};
