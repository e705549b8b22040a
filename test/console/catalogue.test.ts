import { expect, test } from 'vitest';
import { catalogue } from '../../console/text/text.ts';

test('texts are one promise, which has its value when it has come, and what did not come is loaded again', async () => {
  let tries = 0;
  const texts = catalogue({
    en: async () => {
      if (++tries === 1) throw new Error('no connection');
      return { en: { hello: 'Hello' } };
    },
    de: async () => ({ de: { hello: 'Hallo' } }),
    ar: async () => ({ ar: { hello: 'مرحبا' } }),
  });
  await expect(texts.load('en')).rejects.toThrow('no connection');
  const second = texts.load('en');
  expect(texts.load('en')).toBe(second);
  expect(await second).toEqual({ hello: 'Hello' });
  // React keeps no component waiting whose promise says this, and plays none again
  expect(texts.load('en')).toBe(second);
  expect(second).toMatchObject({ status: 'fulfilled', value: { hello: 'Hello' } });
  expect(tries).toBe(2);
});
