/** Standard Webhooks by the browser's own cryptography. https://github.com/standard-webhooks/standard-webhooks */
export const toleranceSeconds = 300;

export interface Signed {
  secret: string;
  id: string;
  /** Seconds since 1970, as the header has it. */
  timestamp: string;
  body: string;
}

const prefix = 'whsec_';

/** The bytes of a secret; undefined: it is none. */
const bytesOf = (secret: string): Uint8Array<ArrayBuffer> | undefined => {
  const text = secret.trim();
  const encoded = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  if (encoded === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  try {
    return Uint8Array.from(atob(encoded), (each) => each.charCodeAt(0));
  } catch {
    return undefined;
  }
};

/** `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; undefined: the secret is none. */
export const signatureOf = async ({ secret, id, timestamp, body }: Signed): Promise<string | undefined> => {
  const bytes = bytesOf(secret);
  if (!bytes) return undefined;
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`${id.trim()}.${timestamp.trim()}.${body}`));
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`;
};

export type Verdict = { outcome: 'good' | 'old' | 'future' | 'no_secret' } | { outcome: 'bad'; expected: string; isTrimmed: boolean };

/** What a receiver would say to a call at this time, seconds since 1970. The header has one signature, or several with spaces between. */
export const verify = async (signed: Signed, header: string, nowSeconds: number): Promise<Verdict> => {
  const expected = await signatureOf(signed);
  if (expected === undefined) return { outcome: 'no_secret' };
  const given = header.trim().split(/\s+/);
  if (given.includes(expected)) {
    const age = nowSeconds - Number(signed.timestamp);
    return { outcome: age > toleranceSeconds ? 'old' : age < -toleranceSeconds ? 'future' : 'good' };
  }
  const trimmed = signed.body.replace(/\r?\n$/, '');
  const isTrimmed = trimmed !== signed.body && given.includes((await signatureOf({ ...signed, body: trimmed })) ?? '');
  return { outcome: 'bad', expected, isTrimmed };
};
