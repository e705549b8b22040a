import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUuidV7, messageId, ulid, ulidTime, uuidV7, uuidV7Bounds } from '../../shared/runtime/ids.ts';

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

describe('uuidV7', () => {
  test('is a UUID of version 7 within the bounds of its millisecond, and sorts as text in the order of its times', () => {
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        const [first, last] = uuidV7Bounds(a);
        const id = uuidV7(a);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(isUuidV7(id)).toBe(true);
        expect([first <= id, id <= last]).toEqual([true, true]);
        if (a < b) expect(last < uuidV7(b)).toBe(true);
      }),
      { seed: 5 },
    );
    expect(isUuidV7('7b0f5a52-93c5-4d3c-9a51-1f1a6f7b8c9d')).toBe(false);
  });

  test('has 74 random bits: of a thousand in one millisecond no two are equal', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => uuidV7(1))).size).toBe(1_000);
    expect(uuidV7Bounds(1)).toEqual(['00000000-0001-7000-8000-000000000000', '00000000-0001-7fff-bfff-ffffffffffff']);
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
