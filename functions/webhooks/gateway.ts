import { now } from '../../shared/runtime/clock.ts';
import { setting } from '../../shared/runtime/env.ts';
import { guardedFetch } from '../../shared/runtime/fetch.ts';
import type { DeliveryAttempt } from './domain/delivery-attempt.ts';

/** Calls a receiver once, through the guarded client: no redirect is followed, no inner address reached, 4 KB of the answer kept. */
export const postToEndpoint = async (url: string, headers: Readonly<Record<string, string>>, body: string): Promise<DeliveryAttempt> => {
  const at = now();
  const began = performance.now();
  const timeoutMs = Number(setting('WEBHOOK_TIMEOUT_MS'));
  const given = await guardedFetch(url, { method: 'POST', headers, body, timeoutMs, maxBytes: maxLoggedBytes, cut: true });
  const ms = Math.round(performance.now() - began);
  if (given.outcome !== 'answered') return { at, ms, error: given.reason };
  return { at, ms, status: given.status, headers: given.headers, body: loggedText(given.body) };
};

const maxLoggedBytes = 4_096;

/** Text for the log: what is not UTF-8 becomes marks, NUL goes. */
function loggedText(body: Buffer): string {
  return body.toString('utf8').replaceAll('\u0000', '');
}
