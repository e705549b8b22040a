import { createHmac, timingSafeEqual } from 'node:crypto';

export const toleranceSeconds = 300;
const prefixes = ['/api/v1/verification', '/v1/verification'];

export interface SignedCall {
  timestamp: string;
  signature: string;
  method: string;
  /** The path of the request, without the query. */
  path: string;
  body: Buffer;
}

/**
 * Whether a signature is valid in one of the accepted forms: base64 with or without padding, also URL-safe; over the path as requested,
 * under the other prefix, or relative to the base, each with and without its leading slash. Every comparison takes constant time.
 */
export const isValidSignature = (secrets: readonly string[], { timestamp, signature, method, path, body }: SignedCall): boolean => {
  const given = signatureBytes(signature);
  let isValid = false;
  for (const secret of secrets)
    for (const form of pathForms(path)) {
      const expected = createHmac('sha256', secret).update(`${timestamp}.${method.toUpperCase()}.${form}.`).update(body).digest();
      if (given.length === expected.length && timingSafeEqual(given, expected)) isValid = true;
    }
  return isValid;
};

/** The same for every way of writing a signature. */
export const signatureBytes = (signature: string): Buffer =>
  Buffer.from(signature.trim().replaceAll('-', '+').replaceAll('_', '/'), 'base64');

export const pathForms = (path: string): string[] => {
  const prefix = prefixes.find((each) => path.startsWith(`${each}/`)) ?? '';
  const relative = path.slice(prefix.length);
  const rooted = [path, ...prefixes.map((each) => `${each}${relative}`), relative];
  return [...new Set(rooted.flatMap((each) => [each, each.slice(1)]))];
};

/** Why a timestamp is refused; undefined when it is valid. */
export const timestampProblem = (
  timestamp: string | undefined,
  nowMs: number,
): 'signature_timestamp_required' | 'timestamp_out_of_range' | undefined => {
  if (timestamp === undefined || timestamp.trim() === '') return 'signature_timestamp_required';
  if (!/^\d{1,12}$/.test(timestamp.trim())) return 'timestamp_out_of_range';
  return Math.abs(Number(timestamp.trim()) - nowMs / 1_000) > toleranceSeconds ? 'timestamp_out_of_range' : undefined;
};
