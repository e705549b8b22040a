import { now } from '../../../shared/runtime/clock.ts';
import type { BusinessNumber } from '../../account/service/numbers.ts';
import { nextAttemptAt, type ProviderResult } from '../domain/provider-result.ts';
import type { ProviderPayload } from '../domain/content.ts';
import { type CodeReference, formatCodeReference } from '../domain/reference.ts';
import { messageRequest, postMessage } from '../gateway/messages.ts';
import { reserveSlot, waitForSlot } from './send-slots.ts';

/** What came of a code: the provider's word, or that nobody was called (`waits`), or that it was refused for now only (`later`). */
export type CodeSendResult = ProviderResult | { outcome: 'waits' | 'later'; untilMs: number };

/**
 * Sends for a context that keeps its own rows (a verification's code): in the number's first lane, ahead of replies and campaigns
 * (architecture 5). `compose` claims, when the slot is there; what it does not claim is not sent. 1 WRU a block of slots.
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
  const untilMs = sent.outcome === 'refused' ? nextAttemptAt(sent.code, 1, now()) : undefined;
  return untilMs === undefined ? sent : { outcome: 'later', untilMs };
};
