/**
 * Amounts are decimal text in the API and whole minor units in the table (cents, yen, fils), never binary fractions. The runtime knows the
 * number of digits of each ISO 4217 currency.
 */

/** The highest accepted price, as decimal text. */
export const maxPrice = '99999999.99';

const decimalText = /^(\d{1,13})(?:\.(\d{1,12}))?$/;

export type Minor = { ok: true; minor: number } | { ok: false; reason: string };

export const isCurrency = (code: string): boolean => currencies.has(code);

/** Digits after the point: JPY 0, INR 2, KWD 3. */
export const digitsOf = (currency: string): number => {
  const known = digits.get(currency);
  if (known !== undefined) return known;
  const found = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  digits.set(currency, found);
  return found;
};

/** Decimal text of a string or a JSON number; undefined when it is not an amount of 0 or more. */
export const decimalOf = (value: string | number): string | undefined => {
  const text = typeof value === 'number' ? numberText(value) : value.trim();
  return decimalText.test(text) ? text : undefined;
};

/** Decimal text in minor units. Digits that the currency does not have are rejected unless they are zeros. */
export const toMinor = (decimal: string, currency: string): Minor => {
  const [, whole = '0', fraction = ''] = decimalText.exec(decimal) ?? [];
  const places = digitsOf(currency);
  if (/[1-9]/.test(fraction.slice(places))) return { ok: false, reason: `Must have at most ${places} decimals, as ${currency} has.` };
  return { ok: true, minor: Number(`${whole}${fraction.slice(0, places).padEnd(places, '0')}`) };
};

/** Like toMinor, for amounts that a platform computed: excess digits are rounded half up. */
export const roundedMinor = (decimal: string, currency: string): number => {
  const [, whole = '0', fraction = ''] = decimalText.exec(decimal) ?? [];
  const places = digitsOf(currency);
  const truncated = Number(`${whole}${fraction.slice(0, places).padEnd(places, '0')}`);
  return truncated + (Number(fraction[places] ?? '0') >= 5 ? 1 : 0);
};

/** Minor units as decimal text with the currency's number of digits. */
export const fromMinor = (minor: number, currency: string): string => {
  const places = digitsOf(currency);
  const text = String(minor).padStart(places + 1, '0');
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
};

/** Whether a decimal text exceeds the highest accepted price. */
export const isAbovePrice = (decimal: string): boolean => {
  const [, whole = '0', fraction = ''] = decimalText.exec(decimal) ?? [];
  const value = BigInt(whole) * 1_000_000_000_000n + BigInt(fraction.padEnd(12, '0'));
  return value > 99_999_999_990_000_000_000n;
};

const currencies = new Set(Intl.supportedValuesOf('currency'));
const digits = new Map<string, number>();

/** String() writes numbers below a millionth and from 10^21 with an exponent; the caller rejects those. */
const numberText = (value: number): string => (Number.isFinite(value) ? String(value) : '');
