import type { OwnedStatus } from '../../../shared/contract/status-owner.ts';
import { toCodePricing } from '../domain/code-pricing.ts';
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
 * request fails, and the pricing of the message is stored with it. The pricing of a delivered code would be a write of its own: its charge follows
 * from the codes that were sent (docs/decisions/spend.md). 1 WRU and 2 RRU for a failure, else none.
 */
export const recordCodeStatus = async (sent: SentCode, { status, pricing }: Pick<OwnedStatus, 'status' | 'pricing'>): Promise<void> => {
  if (status === 'failed') await recordUndelivered(sent, pricing);
};

/** Fails a request whose latest message is `send`; an earlier message changes nothing. */
export const recordUndelivered = async ({ companyId, requestId, send }: SentCode, pricing?: OwnedStatus['pricing']): Promise<void> => {
  const request = await getRequest(companyId, requestId, { consistent: true });
  const details = { sends: send, pricing: toCodePricing(pricing) };
  if (request) await finishRequest(request, { status: 'failed', reason: 'delivery_failed' }, undefined, details);
};
