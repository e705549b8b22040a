import { expect, test } from 'vitest';
import { amountText } from '../../console/components/amount.ts';
import { moneyText } from '../../console/components/money.ts';

test.each([
  ['EUR', '€1,234.50'],
  ['xyz', 'XYZ 1,234.50'],
  ['', '1,234.5'],
  ['Euro', '1,234.5 Euro'],
  ['E1R', '1,234.5 E1R'],
])('an amount in %j is shown, and never breaks the page', (currency, shown) => {
  expect(amountText('en-GB', 1_234.5, currency).replaceAll('\u00A0', ' ')).toBe(shown);
});

test.each([
  ['0.000400', '€0.0004'],
  ['-0.0004', '-€0.0004'],
  ['0', '€0.00'],
  ['0.4567', '€0.46'],
  ['99.999', '€100.00'],
  ['1234.5', '€1,235'],
])('what was spent, %s, is shown as %s: never as nothing where it is something', (amount, shown) => {
  expect(moneyText('en-GB', { amount, currency: 'EUR' })).toBe(shown);
});
