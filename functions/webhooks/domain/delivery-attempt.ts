import { retryAfterMs } from './retry-schedule.ts';

/** One call of a receiver, as it went. */
export interface DeliveryAttempt {
  at: number;
  ms: number;
  /** Absent: there was no answer. */
  status?: number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | undefined;
  /** Why there was no answer: `timeout`, `unreachable`, `private_address`, ... */
  error?: string | undefined;
}

export type AttemptOutcome =
  | { kind: 'delivered' }
  /** The receiver does not want this event again. */
  | { kind: 'aborted' }
  /** It does not exist any more, and says so. */
  | { kind: 'gone' }
  | { kind: 'failed'; error: string; retryAfterMs: number | undefined };

/** Decision V33: 2xx is delivered, 410 disables the endpoint, `webhook-delivery: abort-message` ends the event, all else is retried. */
export const outcomeOf = (attempt: DeliveryAttempt): AttemptOutcome => {
  const { status, headers } = attempt;
  if (status === undefined) return { kind: 'failed', error: attempt.error ?? 'unreachable', retryAfterMs: undefined };
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'gone' };
  if (headers?.['webhook-delivery']?.trim().toLowerCase() === 'abort-message') return { kind: 'aborted' };
  const wait = status === 429 || status === 503 ? retryAfterMs(headers?.['retry-after'], attempt.at) : undefined;
  return { kind: 'failed', error: status >= 300 && status < 400 ? 'redirect' : `http_${status}`, retryAfterMs: wait };
};

/** Of the headers of one answer. */
export const maxHeaderBytes = 2_048;

/** The headers of an answer for the log: without cookies, and as many as 2 KB hold. */
export const loggedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const logged: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    const more = Buffer.byteLength(name) + Buffer.byteLength(value);
    if (name === 'set-cookie' || bytes + more > maxHeaderBytes) continue;
    logged[name] = value;
    bytes += more;
  }
  return logged;
};
