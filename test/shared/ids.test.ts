import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageId, ulid, ulidTime } from '../../shared/runtime/ids.ts';

const instant = fc.integer({ min: 0, max: 2 ** 42 });

describe('ulid', () => {
  test('sorts as text in the order of its times, and gives its time back', () => {
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        expect(ulidTime(ulid(a))).toBe(a);
        if (a < b) expect(ulid(a) < ulid(b)).toBe(true);
      }),
      { seed: 2 },
    );
  });

  test('is 26 characters of the alphabet, all of its randomness used', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 10, maxLength: 10 }), fc.uint8Array({ minLength: 10, maxLength: 10 }), (a, b) => {
        const [one, two] = [ulid(1, Buffer.from(a)), ulid(1, Buffer.from(b))];
        expect(one).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
        expect(one === two).toBe(Buffer.from(a).equals(Buffer.from(b)));
      }),
      { seed: 3 },
    );
  });
});

describe('messageId', () => {
  test('the same seed in the same second is the same id, in another second another', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 0, max: 999 }), fc.string(), (second, ms, seed) => {
        expect(messageId(second * 1_000 + ms, seed)).toBe(messageId(second * 1_000, seed));
        expect(messageId((second + 1) * 1_000, seed)).toBeGreaterThan(messageId(second * 1_000, seed));
      }),
      { seed: 4 },
    );
  });

  test('stays a safe integer to the end of its 32 bits of seconds', () => {
    expect(Number.isSafeInteger(messageId((2 ** 32 - 1) * 1_000, 'last'))).toBe(true);
  });

  test('a later second sorts after every seed of an earlier one', () => {
    const at = Date.UTC(2026, 10, 21);
    const early = Array.from({ length: 500 }, (_, seed) => messageId(at, String(seed)));
    expect(messageId(at + 1_000, 'any')).toBeGreaterThan(Math.max(...early));
    expect(new Set(early).size).toBeGreaterThan(495);
  });
});
