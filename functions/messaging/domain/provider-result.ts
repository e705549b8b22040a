import { providerErrorEntry, isThrottle } from '../../../shared/provider/errors.ts';

export type ProviderResult =
  | { outcome: 'accepted'; wamid: string }
  /** Proven: the provider did not take it. */
  | { outcome: 'refused'; code: number; title: string; details: string | undefined }
  /** Proven: the request never reached the provider. */
  | { outcome: 'unsent' }
  /** The request left and no answer tells its fate. */
  | { outcome: 'ambiguous' };

/**
 * Reads the provider's answer (provider reference §1.2, §2.1): a readable error decides whatever the HTTP status is; without one only a
 * 4xx proves that the message was not taken (A28).
 */
export const classifyResponse = (httpStatus: number, body: unknown): ProviderResult => {
  const isSuccess = httpStatus >= 200 && httpStatus < 300;
  const wamid = wamidIn(body);
  if (isSuccess && wamid !== undefined) return { outcome: 'accepted', wamid };
  const error = classifyProviderError(body);
  if (error) return { outcome: 'refused', ...error };
  const isProof = httpStatus >= 400 && httpStatus < 500 && httpStatus !== requestTimeoutStatus;
  if (!isProof) return { outcome: 'ambiguous' };
  return { outcome: 'refused', code: httpStatus, title: providerErrorEntry(httpStatus).title, details: `HTTP ${httpStatus}` };
};

/** 408 is said by whatever stands in front of the provider, of a request that may have gone through. */
const requestTimeoutStatus = 408;

/** Code, title and details of an error body; by `code` and `details` only, since texts are localised. */
export const classifyProviderError = (body: unknown): { code: number; title: string; details: string | undefined } | undefined => {
  const error = (
    body as { error?: { code?: unknown; error_data?: { details?: unknown } | string; error_user_msg?: unknown; message?: unknown } } | null
  )?.error;
  const code = codeIn(error?.code);
  if (!error || code === undefined) return undefined;
  const data = error.error_data;
  const details = typeof data === 'string' ? data : (data?.details ?? error.error_user_msg ?? error.message);
  return { code, title: providerErrorEntry(code).title, details: typeof details === 'string' ? details : undefined };
};

/** When a message that the provider would not take now is tried again; undefined when it must not be. */
export const nextAttemptAt = (code: number, attempt: number, nowMs: number): number | undefined => {
  if (!isThrottle(code) || attempt >= maxAttempts) return undefined;
  const { waitSeconds } = providerErrorEntry(code);
  return nowMs + Math.min(waitSeconds * (code === 131056 ? 4 : 2) ** (attempt - 1), 3_600) * 1_000;
};

/** Tries of one message at a provider that throttles: about four hours in all. */
export const maxAttempts = 14;

/** Codes come as numbers and, from some gateways, as text. */
function codeIn(code: unknown): number | undefined {
  const value = typeof code === 'string' && /^\d{1,9}$/.test(code) ? Number(code) : code;
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

function wamidIn(body: unknown): string | undefined {
  const id = (body as { messages?: { id?: unknown }[] } | null | undefined)?.messages?.[0]?.id;
  return typeof id === 'string' && id !== '' ? id : undefined;
}
