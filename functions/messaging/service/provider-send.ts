import { now } from '../../../shared/runtime/clock.ts';
import type { BusinessNumber } from '../../account/service/numbers.ts';
import { nextTry, type Sent } from '../domain/answer.ts';
import type { Payload } from '../domain/payload.ts';
import { type CodeReference, codeReferenceOf } from '../domain/reference.ts';
import { messageRequest, sendToProvider } from '../gateway/messages.ts';
import { takeSlot, untilSlot } from './pacing.ts';

/** What came of a code: the provider's word, or that nobody was called (`waits`), or that it was refused for now only (`later`). */
export type CodeSent = Sent | { outcome: 'waits' | 'later'; untilMs: number };

/**
 * Sends for a context that keeps its own rows (a verification's code): in the number's first lane, ahead of replies and campaigns
 * (architecture 5). `compose` claims, when the slot is there; what it does not claim is not sent. 1 WRU a block of slots.
 */
export const sendCodeMessage = async (
  number: BusinessNumber,
  reference: CodeReference,
  compose: () => Promise<{ phone: string; payload: Payload } | undefined>,
): Promise<CodeSent | undefined> => {
  const slot = await takeSlot(number, 'code');
  if (!slot.free) return { outcome: 'waits', untilMs: slot.retryAtMs };
  await untilSlot(slot.atMs);
  const message = await compose();
  if (!message) return undefined;
  const sent = await sendToProvider(number, messageRequest({ phone: message.phone }, message.payload, codeReferenceOf(reference)));
  const untilMs = sent.outcome === 'refused' ? nextTry(sent.code, 1, now()) : undefined;
  return untilMs === undefined ? sent : { outcome: 'later', untilMs };
};
