import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nested } from '../../shared/http/decode.ts';

const read = (query: string) => nested([...new URLSearchParams(query)]);

describe('nested query data', () => {
  test.each([
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=1&a=2', { a: ['1', '2'] }],
    ['buttons[0][id]=x&buttons[0][title]=X&buttons[1][id]=y', { buttons: [{ id: 'x', title: 'X' }, { id: 'y' }] }],
    ['tags[]=1&tags[]=2', { tags: ['1', '2'] }],
    ['map[k]=v', { map: { k: 'v' } }],
    ['list[1]=b', { list: { 1: 'b' } }],
    ['empty=', { empty: '' }],
    ['', {}],
  ])('%s', (query, data) => {
    expect(read(query)).toEqual(data);
  });

  test.each([
    '__proto__[polluted]=yes',
    'a[__proto__][polluted]=yes',
    'constructor[prototype][polluted]=yes',
    '__proto__=yes',
    'a[__proto__]=x',
  ])('%s pollutes no prototype', (query) => {
    const data = read(query);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect((data as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('however deep or long the query, reading it ends and stays bounded', () => {
    const deep = read(`a${'[x]'.repeat(5_000)}=1`);
    expect(JSON.stringify(deep).length).toBeLessThan(100);
    const many = read(Array.from({ length: 5_000 }, (_, i) => `k${i}=1`).join('&'));
    expect(Object.keys(many).length).toBe(1_000);
  });

  test('no names and values make it throw', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('a[b]', 'a[]', 'a', 'a[0]', 'a[b][c]', '__proto__[x]', 'toString', 'a[toString]'));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string())), (pairs) => {
        nested(pairs);
      }),
      { seed: 6, numRuns: 500 },
    );
  });
});
