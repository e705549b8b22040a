import { classifyProviderError, providerErrorEntry, isThrottle } from '../../../shared/provider/errors.ts';

export type ProviderResult =
  /** `isHeld`: the provider waits with it, to see how others take its template. It sends it later, or drops it: a status says which. */
  | { outcome: 'accepted'; wamid: string; isHeld?: true }
  /** Proven: the provider rejected the message. */
  | { outcome: 'refused'; code: number; title: string; details: string | undefined }
  /** Proven: the request never reached the provider. */
  | { outcome: 'unsent' }
  /** The request left, and no response shows whether it was accepted. */
  | { outcome: 'ambiguous' };

/**
 * Classifies the provider's response. A readable error decides, whatever the HTTP status; without one only a 4xx proves that the message
 * was not accepted. See docs/decisions/ambiguous-sends.md.
 */
export const classifyResponse = (httpStatus: number, body: unknown): ProviderResult => {
  const isSuccess = httpStatus >= 200 && httpStatus < 300;
  const wamid = wamidIn(body);
  if (isSuccess && wamid !== undefined) return { outcome: 'accepted', wamid, ...(isHeldIn(body) ? { isHeld: true } : {}) };
  const error = classifyProviderError(body);
  if (error) return { outcome: 'refused', ...error };
  const isProof = httpStatus >= 400 && httpStatus < 500 && httpStatus !== requestTimeoutStatus;
  if (!isProof) return { outcome: 'ambiguous' };
  return { outcome: 'refused', code: httpStatus, title: providerErrorEntry(httpStatus).title, details: `HTTP ${httpStatus}` };
};

/** A proxy in front of the provider answers 408 to a request that may have gone through. */
const requestTimeoutStatus = 408;

/** When a throttled message is tried again, epoch milliseconds; undefined: it must not be. */
export const nextSendAttemptAt = (code: number, attempt: number, nowMs: number): number | undefined => {
  if (!isThrottle(code) || attempt >= maxThrottledAttempts) return undefined;
  const { waitSeconds } = providerErrorEntry(code);
  return nowMs + Math.min(waitSeconds * (code === 131056 ? 4 : 2) ** (attempt - 1), 3_600) * 1_000;
};

/** Attempts of one message while the provider throttles: about four hours in all. */
export const maxThrottledAttempts = 14;

function wamidIn(body: unknown): string | undefined {
  const id = firstMessageIn(body)?.id;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Answers to templates alone say it, and not those of every version: without it a message is on its way. */
const isHeldIn = (body: unknown): boolean => heldStatuses.has(firstMessageIn(body)?.message_status);

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/template-pacing */
const heldStatuses: ReadonlySet<unknown> = new Set(['held_for_quality_assessment', 'paused']);

const firstMessageIn = (body: unknown): { id?: unknown; message_status?: unknown } | undefined =>
  (body as { messages?: { id?: unknown; message_status?: unknown }[] } | null | undefined)?.messages?.[0];
