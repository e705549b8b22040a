import { expect, test } from 'vitest';
import { amountText } from '../../console/components/amount.ts';

test.each([
  ['EUR', '€1,234.50'],
  ['xyz', 'XYZ 1,234.50'],
  ['', '1,234.5'],
  ['Euro', '1,234.5 Euro'],
  ['E1R', '1,234.5 E1R'],
])('an amount in %j is shown, and never breaks the page', (currency, shown) => {
  expect(amountText('en-GB', 1_234.5, currency).replaceAll('\u00A0', ' ')).toBe(shown);
});
