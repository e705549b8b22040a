import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { cursorKey } from '../../shared/contract/secret.ts';
import { decodeCursor, encodeCursor } from '../../shared/table/cursor.ts';
import { startTestApp } from '../support/test-app.ts';

const testApp = await startTestApp({ contexts: [] });
afterAll(() => testApp.stop());

const position = z.object({ at: z.string(), id: z.string() });

describe('cursors', () => {
  test('give back their position in the scope they were made for', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), fc.string(), async (scope, at, id) => {
        expect(await decodeCursor(scope, await encodeCursor(scope, { at, id }), position)).toEqual({ at, id });
      }),
      { seed: 5 },
    );
  });

  test('are not ours in another scope: company, list or filter', async () => {
    const cursor = await encodeCursor('contacts:1:', { at: 'C#1#CONTACT', id: '1' });
    for (const scope of ['contacts:2:', 'contacts:1:search=x', 'campaigns:1:', ''])
      expect(await decodeCursor(scope, cursor, position)).toBeUndefined();
  });

  test('are not ours once any character is changed, cut or added', async () => {
    const cursor = await encodeCursor('s', { at: 'C#1', id: '000017' });
    for (let place = 0; place < cursor.length; place++) {
      const other = cursor[place] === 'A' ? 'B' : 'A';
      const changed = cursor.slice(0, place) + other + cursor.slice(place + 1);
      expect(await decodeCursor('s', changed, position), `place ${place}`).toBeUndefined();
    }
    for (const broken of ['', '.', cursor.slice(0, -1), `${cursor}x`, `${cursor}.x`, cursor.split('.')[0] ?? '', 'undefined', '{}'])
      expect(await decodeCursor('s', broken, position)).toBeUndefined();
  });

  test('cannot be made from what the source shows: the key is a secret of the deployment', async () => {
    const body = Buffer.from(JSON.stringify({ at: 'C#1', id: '1' })).toString('base64url');
    for (const key of ['cursor:s', 'cursor', 's', ''])
      for (const length of [12, 16, 43]) {
        const made = createHmac('sha256', key).update(body).digest('base64url').slice(0, length);
        expect(await decodeCursor('s', `${body}.${made}`, position)).toBeUndefined();
      }
  });

  test('of a rotated key are read until it is taken away', async () => {
    const rotate = (value: object): void => {
      testApp.secrets.set(cursorKey.name, JSON.stringify(value));
      testApp.clock.advance(6 * 60_000);
    };
    const [first, second] = ['the first of two cursor keys', 'the second of two cursor keys'];
    rotate({ id: 'a', key: first });
    const old = await encodeCursor('s', { at: 'x', id: '1' });
    rotate({ id: 'b', key: second, previous: { a: first } });
    expect(await decodeCursor('s', old, position)).toEqual({ at: 'x', id: '1' });
    rotate({ id: 'b', key: second });
    expect(await decodeCursor('s', old, position)).toBeUndefined();
  });

  test('of the right scope but the wrong shape are refused by the schema', async () => {
    expect(await decodeCursor('s', await encodeCursor('s', { at: 1 }), position)).toBeUndefined();
  });
});
