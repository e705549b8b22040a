import { now } from '../../../shared/runtime/clock.ts';
import type { BusinessNumber } from '../../account/service/numbers.ts';
import { nextSendAttemptAt, type ProviderResult } from '../domain/provider-result.ts';
import type { ProviderPayload } from '../contract/content.ts';
import { type CodeReference, formatCodeReference } from '../contract/reference.ts';
import { messageRequest, postMessage } from '../gateway/messages.ts';
import { ceilingChargeOf } from '../../spend/service/ceiling-charges.ts';
import { returnSpend } from './allowances.ts';
import { reserveChargedSlot, waitForSlot } from './send-slots.ts';

/**
 * The result of sending a code: the provider's; `waits`: no slot, not called; `later`: throttled, to be sent again; `limited`: a spend ceiling and its
 * reserve of codes are used up, or the code has no known price, not called.
 */
export type CodeSendResult = ProviderResult | { outcome: 'waits' | 'later'; untilMs: number } | { outcome: 'limited' };

/**
 * Sends a verification code, whose state another context stores: with the highest priority, ahead of direct sends and campaigns. `compose`
 * claims the code once the slot is there; without a claim nothing is sent. 1 WRU. `phone`: by whose country the code is priced.
 */
export const sendCodeMessage = async (
  number: BusinessNumber,
  reference: CodeReference,
  phone: string,
  compose: () => Promise<{ phone: string; payload: ProviderPayload } | undefined>,
): Promise<CodeSendResult | undefined> => {
  const charge = await ceilingChargeOf(number.companyId, { category: 'authentication' }, { phone });
  if (charge && 'unknown' in charge) return { outcome: 'limited' };
  const slot = await reserveChargedSlot(number, 'code', charge);
  if ('limit' in slot) return { outcome: 'limited' };
  if (!slot.free) return { outcome: 'waits', untilMs: slot.retryAtMs };
  await waitForSlot(slot.atMs);
  const message = await compose();
  if (!message) {
    if (slot.spend) await returnSpend(number, slot.spend);
    return undefined;
  }
  const sent = await postMessage(number, messageRequest({ phone: message.phone }, message.payload, formatCodeReference(reference)));
  if (slot.spend && (sent.outcome === 'refused' || sent.outcome === 'unsent')) await returnSpend(number, slot.spend);
  const untilMs = sent.outcome === 'refused' ? nextSendAttemptAt(sent.code, 1, now()) : undefined;
  return untilMs === undefined ? sent : { outcome: 'later', untilMs };
};
