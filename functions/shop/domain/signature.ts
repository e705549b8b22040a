import { createHmac, timingSafeEqual } from 'node:crypto';
import { problem, type Problem } from '../../../shared/contract/problems.ts';

/**
 * Signatures of receiver posts: HMAC-SHA256 over the raw bytes, as hex (with or without `sha256=`) or base64, in our own header or the
 * platform's. Every secret is compared in constant time.
 */
export const signatureHeaders: Readonly<Record<string, readonly string[]>> = {
  storeplatform: ['x-shopify-hmac-sha256', 'shopify-hmac-sha256', 'x-webhook-signature'],
  webshop: ['x-wc-webhook-signature', 'x-webhook-signature'],
  logistics: ['x-webhook-signature'],
  checkout: ['x-webhook-signature'],
  custom: ['x-webhook-signature'],
  test: ['x-webhook-signature', 'x-shopify-hmac-sha256', 'x-wc-webhook-signature'],
};

export const signatureFromHeaders = (receiver: string, headers: Readonly<Record<string, string>>): string | undefined =>
  (signatureHeaders[receiver] ?? []).map((name) => headers[name]).find((value) => value !== undefined && value !== '');

/** Why a post is refused that no secret of its receiver signed. */
export const signatureProblem = (receiver: string, headers: Readonly<Record<string, string>>): Problem<'invalid_signature'> => {
  const isThere = signatureFromHeaders(receiver, headers) !== undefined;
  return problem('invalid_signature', isThere ? {} : { message: `The header ${signatureHeaders[receiver]?.[0]} is missing.` });
};

export const isSigned = (raw: Buffer, secrets: readonly string[], given: string | undefined): boolean => {
  const candidates = decodings(given ?? '');
  return secrets
    .map((secret) => {
      const expected = createHmac('sha256', secret).update(raw).digest();
      return candidates.map((candidate) => timingSafeEqual(candidate, expected)).includes(true);
    })
    .includes(true);
};

/** The 32-byte digests that the text may encode. */
function decodings(text: string): Buffer[] {
  const value = text.trim().replace(/^sha256=/i, '');
  const hex = /^[0-9a-f]{64}$/i.test(value) ? [Buffer.from(value, 'hex')] : [];
  const base64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(value) ? [Buffer.from(value, 'base64')] : [];
  return [...hex, ...base64].filter(({ length }) => length === 32);
}
