import { createHmac, timingSafeEqual } from 'node:crypto';

/** The provider's own limit for a post. */
export const maxPostBytes = 3_000_000;

/** Whether the signature is that of the raw bytes under an app secret. `signature`: the header `X-Hub-Signature-256`. */
export const isSignedByApp = (raw: Buffer, secret: string, signature: string | undefined): boolean => {
  const expected = createHmac('sha256', secret).update(raw).digest();
  const given = Buffer.from((signature ?? '').replace(/^sha256=/, ''), 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
};
