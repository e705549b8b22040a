import { randomBytes } from 'node:crypto';
import { sha256 } from '../runtime/ids.ts';

/**
 * Tokens: `<prefix>_<43 base62><6 base62 of the CRC32>`, 256 random bits. A wrong checksum is refused without a request to the table.
 * Only the SHA-256 is stored.
 */
export const tokenPrefixes = {
  token: 'swb',
  session: 'ses',
  erp_token: 'erp',
  webhook_token: 'whk',
  public_key: 'pk_live',
  test_public_key: 'pk_test',
  secret_key: 'sk_live',
  test_secret_key: 'sk_test',
} as const;
export type TokenKind = keyof typeof tokenPrefixes;

/** The length of each kind, and whether it ends with a checksum. */
const shapes: Record<TokenKind, { body: number; checksum: boolean }> = {
  token: { body: 43, checksum: true },
  session: { body: 43, checksum: true },
  erp_token: { body: 43, checksum: false },
  webhook_token: { body: 43, checksum: false },
  public_key: { body: 24, checksum: false },
  test_public_key: { body: 24, checksum: false },
  secret_key: { body: 43, checksum: false },
  test_secret_key: { body: 43, checksum: false },
};

/** A new secret of a kind. A webhook token has no prefix: it is a path segment of 43 characters. */
export const newToken = (kind: TokenKind): string => {
  const body = randomBase62(shapes[kind].body);
  const prefix = kind === 'webhook_token' ? '' : `${tokenPrefixes[kind]}_`;
  return `${prefix}${body}${shapes[kind].checksum ? checksum(body) : ''}`;
};

/** Whether a text has the form of a token of the kind. It may still be unknown. */
export const hasTokenPrefix = (kind: TokenKind, token: string): boolean => {
  const { body, checksum: checked } = shapes[kind];
  const prefix = kind === 'webhook_token' ? '' : `${tokenPrefixes[kind]}_`;
  if (!token.startsWith(prefix)) return false;
  const rest = token.slice(prefix.length);
  if (rest.length !== body + (checked ? 6 : 0) || !/^[0-9A-Za-z]+$/.test(rest)) return false;
  return !checked || checksum(rest.slice(0, body)) === rest.slice(body);
};

/** The form in which a token is stored. */
export const tokenHash = (token: string): string => sha256(token);

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function randomBase62(length: number): string {
  let out = '';
  while (out.length < length) for (const byte of randomBytes(64)) if (byte < 248 && out.length < length) out += alphabet[byte % 62];
  return out;
}

function checksum(body: string): string {
  let left = crc32(body);
  let out = '';
  for (let i = 0; i < 6; i++, left = Math.floor(left / 62)) out = alphabet[left % 62] + out;
  return out;
}

function crc32(value: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(value)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
