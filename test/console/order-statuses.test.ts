import { expect, test } from 'vitest';
import { statusChoices } from '../../console/screens/shop/order-words.ts';
import { en } from '../../console/text/en/shop.ts';

const off = (from: Parameters<typeof statusChoices>[1], isStrict: boolean): (readonly [string, string])[] =>
  statusChoices(en, from, isStrict).flatMap(([value, label, isOff]) => (isOff === true ? [[value, label] as const] : []));

test('a status that a shop with strict transitions refuses is off, and says why; the present one never is', () => {
  expect(off('Shipped', true)).toEqual([
    ['Pending', `${en.pending} (not after ${en.shipped})`],
    ['Processing', `${en.processing} (not after ${en.shipped})`],
  ]);
  expect(off('Refunded', true)).toHaveLength(6);
});

test('a shop without strict transitions refuses none: going back is marked as a regression', () => {
  expect(off('Delivered', false)).toEqual([]);
});
