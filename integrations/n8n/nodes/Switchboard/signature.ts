import { createHmac, timingSafeEqual } from 'node:crypto';

export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Whether a webhook is Switchboard's and not older than five minutes, by Standard Webhooks: https://www.standardwebhooks.com */
export function isSigned(secret: string, headers: WebhookHeaders, body: string, nowMs: number): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  if (!(Math.abs(nowMs / 1_000 - Number(timestamp)) <= 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  // while a secret is rotated there are two
  return signatures.split(' ').some((signature) => {
    if (!signature.startsWith('v1,')) return false;
    const given = Buffer.from(signature.slice(3), 'base64');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}
