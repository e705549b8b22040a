import { describe, expect, test } from 'vitest';
import { hasTokenPrefix, newToken, tokenHash, type TokenKind } from '../../shared/access/token.ts';

const kinds: TokenKind[] = [
  'token',
  'session',
  'erp_token',
  'webhook_token',
  'public_key',
  'test_public_key',
  'secret_key',
  'test_secret_key',
];

describe('tokens', () => {
  test.each(kinds)('a new %s looks like its kind and like no other kind', (kind) => {
    const token = newToken(kind);
    expect(kinds.filter((each) => hasTokenPrefix(each, token))).toEqual([kind]);
  });

  test('the forms are those of the decisions', () => {
    expect(newToken('token')).toMatch(/^swb_[0-9A-Za-z]{49}$/);
    expect(newToken('erp_token')).toMatch(/^erp_[0-9A-Za-z]{43}$/);
    expect(newToken('webhook_token')).toMatch(/^[0-9A-Za-z]{43}$/);
    expect(newToken('public_key')).toMatch(/^pk_live_[0-9A-Za-z]{24}$/);
    expect(newToken('secret_key')).toMatch(/^sk_live_[0-9A-Za-z]{43}$/);
  });

  test('any one changed character of a token breaks its checksum', () => {
    const token = newToken('token');
    for (let place = 4; place < token.length; place++) {
      const other = token[place] === 'a' ? 'b' : 'a';
      expect(hasTokenPrefix('token', token.slice(0, place) + other + token.slice(place + 1)), `place ${place}`).toBe(false);
    }
  });

  test.each(['', 'swb_', 'swb_short', `swb_${'a'.repeat(60)}`, `swb_${'é'.repeat(49)}`, `swb_${'a'.repeat(48)}\n`])(
    '%j is refused without a look at the table',
    (text) => {
      expect(hasTokenPrefix('token', text)).toBe(false);
    },
  );

  test('no two are alike, and the hash says nothing of the secret', () => {
    const tokens = Array.from({ length: 200 }, () => newToken('token'));
    expect(new Set(tokens).size).toBe(200);
    for (const token of tokens) expect(tokenHash(token)).not.toContain(token.slice(4, 12));
  });
});
