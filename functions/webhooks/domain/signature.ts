import { createHmac } from 'node:crypto';

/** Signing as Standard Webhooks has it (decision V31): HMAC-SHA256 over `<id>.<timestamp>.<raw body>`, under the secret's bytes. */
export const secretPrefix = 'whsec_';

export const secretFrom = (random: Buffer): string => `${secretPrefix}${random.toString('base64')}`;

export const signatureOf = (secret: string, id: string, timestampSeconds: number, body: string): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(secretPrefix.length), 'base64'))
    .update(`${id}.${timestampSeconds}.${body}`)
    .digest('base64')}`;

/** The headers with which a receiver verifies the sender and the body; during a rotation each secret signs. */
export const signedHeaders = (
  { id, event, body }: { id: string; event: string; body: string },
  secrets: readonly string[],
  nowMs: number,
): Record<string, string> => {
  const timestamp = Math.floor(nowMs / 1_000);
  return {
    'content-type': 'application/json',
    'user-agent': 'Switchboard-Webhooks/1.0',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => signatureOf(secret, id, timestamp, body)).join(' '),
    'x-webhook-event': event,
    'x-webhook-timestamp': String(timestamp),
  };
};
