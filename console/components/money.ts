import { amountText } from './amount.ts';

/** An amount of the API: decimal text, exact to a millionth of a unit. */
export interface Money {
  amount: string;
  currency: string;
}

/** Whole units from 100 up, two decimals below; a price of one message, and less than a hundredth, has all that it has. */
export const moneyText = (
  tag: string,
  { amount, currency }: { amount: string | number; currency: string },
  { isPrice = false } = {},
): string => {
  const value = Number(amount);
  const size = Math.abs(value);
  const most = isPrice || (size > 0 && size < 0.01) ? 6 : size >= 100 ? 0 : 2;
  return amountText(tag, value, currency, { maximumFractionDigits: most });
};

/** Several amounts beside one another: two currencies are never added. */
export const amountsText = (tag: string, amounts: readonly Money[]): string => amounts.map((each) => moneyText(tag, each)).join(' + ');

/** The sum of amounts of one currency, exact. */
export const addMoney = (one: Money, other: Money): Money => ofMicros(microsOf(one.amount) + microsOf(other.amount), one.currency);

/** An equal part of an amount, to the nearest millionth of a unit. The amount is no less than 0. */
export const divideMoney = ({ amount, currency }: Money, parts: number): Money => {
  const among = BigInt(parts);
  return ofMicros((2n * microsOf(amount) + among) / (2n * among), currency);
};

const ofMicros = (micros: bigint, currency: string): Money => {
  const digits = micros.toString().padStart(7, '0');
  return { amount: `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, ''), currency };
};

const microsOf = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(6, '0')}`);
};
