import { now } from '../../../shared/runtime/clock.ts';
import type { BusinessNumber } from '../../account/service/numbers.ts';
import { nextSendAttemptAt, type ProviderResult } from '../domain/provider-result.ts';
import type { ProviderPayload } from '../contract/content.ts';
import { type CodeReference, formatCodeReference } from '../contract/reference.ts';
import { messageRequest, postMessage } from '../gateway/messages.ts';
import { reserveSlot, waitForSlot } from './send-slots.ts';

/** The result of sending a code: the provider's; `waits`: no slot, not called; `later`: throttled, to be sent again. */
export type CodeSendResult = ProviderResult | { outcome: 'waits' | 'later'; untilMs: number };

/**
 * Sends a verification code, whose state another context stores: with the highest priority, ahead of direct sends and campaigns. `compose`
 * claims the code once the slot is there; without a claim nothing is sent. 1 WRU.
 */
export const sendCodeMessage = async (
  number: BusinessNumber,
  reference: CodeReference,
  compose: () => Promise<{ phone: string; payload: ProviderPayload } | undefined>,
): Promise<CodeSendResult | undefined> => {
  const slot = await reserveSlot(number, 'code');
  if (!slot.free) return { outcome: 'waits', untilMs: slot.retryAtMs };
  await waitForSlot(slot.atMs);
  const message = await compose();
  if (!message) return undefined;
  const sent = await postMessage(number, messageRequest({ phone: message.phone }, message.payload, formatCodeReference(reference)));
  const untilMs = sent.outcome === 'refused' ? nextSendAttemptAt(sent.code, 1, now()) : undefined;
  return untilMs === undefined ? sent : { outcome: 'later', untilMs };
};
