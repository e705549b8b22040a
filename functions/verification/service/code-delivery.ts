import { getRequest } from '../store/request.ts';
import { finishRequest } from './finish-request.ts';

interface SentCode {
  companyId: number;
  requestId: string;
  /** Which message of the request, from 1. */
  send: number;
}

/**
 * Applies the provider's status of a code's message. Only a failure of the latest message matters: no other code is on its way, so the
 * request fails. 1 WRU and 2 RRU for a failure, else none.
 */
export const recordCodeStatus = async (sent: SentCode, status: string): Promise<void> => {
  if (status === 'failed') await recordUndelivered(sent);
};

/** Fails a request whose latest message is `send`; an earlier message changes nothing. */
export const recordUndelivered = async ({ companyId, requestId, send }: SentCode): Promise<void> => {
  const request = await getRequest(companyId, requestId, { consistent: true });
  if (request) await finishRequest(request, { status: 'failed', reason: 'delivery_failed' }, undefined, { sends: send });
};
