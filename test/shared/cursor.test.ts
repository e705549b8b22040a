import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { decodeCursor, encodeCursor } from '../../shared/table/cursor.ts';

const position = z.object({ pk: z.string(), sk: z.string() });

describe('cursors', () => {
  test('give back their position in the scope they were made for', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (scope, pk, sk) => {
        expect(decodeCursor(scope, encodeCursor(scope, { pk, sk }), position)).toEqual({ pk, sk });
      }),
      { seed: 5 },
    );
  });

  test('are not ours in another scope: company, list or filter', () => {
    const cursor = encodeCursor('contacts:1:', { pk: 'C#1#CONTACT', sk: '1' });
    for (const scope of ['contacts:2:', 'contacts:1:search=x', 'campaigns:1:', ''])
      expect(decodeCursor(scope, cursor, position)).toBeUndefined();
  });

  test('are not ours once any character is changed, cut or added', () => {
    const cursor = encodeCursor('s', { pk: 'C#1', sk: '000017' });
    for (let place = 0; place < cursor.length; place++) {
      const other = cursor[place] === 'A' ? 'B' : 'A';
      expect(decodeCursor('s', cursor.slice(0, place) + other + cursor.slice(place + 1), position), `place ${place}`).toBeUndefined();
    }
    for (const broken of ['', '.', cursor.slice(0, -1), `${cursor}x`, cursor.split('.')[0] ?? '', 'undefined', '{}'])
      expect(decodeCursor('s', broken, position)).toBeUndefined();
  });

  test('of the right scope but the wrong shape are refused by the schema', () => {
    expect(decodeCursor('s', encodeCursor('s', { pk: 1 }), position)).toBeUndefined();
  });
});
