import { createHmac, timingSafeEqual } from 'node:crypto';

export interface WebhookEvent {
  id: string;
  event: string;
  timestamp: string;
  data: Record<string, unknown>;
}

/**
 * The event, if the call is Switchboard's and not older than five minutes; undefined otherwise.
 * `body` is the text as it came, before any parsing; `secret` begins with whsec_.
 */
export function verifyWebhook(
  secret: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
  nowMs = Date.now(),
): WebhookEvent | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return undefined;
  if (!(Math.abs(nowMs / 1_000 - Number(timestamp)) <= 300)) return undefined;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  // during a rotation there are two
  const isSigned = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
  return isSigned ? (JSON.parse(body) as WebhookEvent) : undefined;
}
