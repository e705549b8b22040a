import { expect, test } from 'vitest';
import { parseExact } from '../../shared/runtime/json.ts';

const nested = (depth: number, inner = '1'): string => `${'{"a":['.repeat(depth / 2)}${inner}${']}'.repeat(depth / 2)}`;

test('JSON is read to a depth of 100, whatever brackets its texts have, and refused beyond it', () => {
  const text = JSON.stringify(`${'['.repeat(500)}"\\"${'{'.repeat(500)}\\`);
  expect(JSON.stringify(parseExact(nested(100, text)))).toBe(nested(100, text));
  expect(() => parseExact(nested(102))).toThrow('nested');
  expect(() => parseExact('['.repeat(1_000_000))).toThrow('nested');
  expect(parseExact(`[${Array(1_000).fill('[]').join(',')}]`)).toHaveLength(1_000);
});

test('whole numbers beyond 2^53 keep their digits', () => {
  expect(parseExact('{"id":1234567890123456789,"price":1.5}')).toEqual({ id: '1234567890123456789', price: 1.5 });
});
