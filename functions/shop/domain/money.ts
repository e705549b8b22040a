/**
 * Money is a decimal text on the wire and a whole number of minor units inside (a cent, a yen, a fils); never a fraction of a number.
 * How many digits a currency has is ISO 4217's matter, which the runtime knows.
 */

/** The most that a price may be (S6), as decimal text. */
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

/** A decimal text or a JSON number as decimal text; undefined when it is neither or below zero. */
export const decimalOf = (value: string | number): string | undefined => {
  const text = typeof value === 'number' ? numberText(value) : value.trim();
  return decimalText.test(text) ? text : undefined;
};

/** Decimal text in minor units of the currency. More digits than it has are refused, unless they are zeros. */
export const toMinor = (decimal: string, currency: string): Minor => {
  const [, whole = '0', fraction = ''] = decimalText.exec(decimal) ?? [];
  const places = digitsOf(currency);
  if (/[1-9]/.test(fraction.slice(places))) return { ok: false, reason: `Must have at most ${places} decimals, as ${currency} has.` };
  return { ok: true, minor: Number(`${whole}${fraction.slice(0, places).padEnd(places, '0')}`) };
};

/** As toMinor, for amounts that a platform worked out: digits that the currency does not have are rounded, half up. */
export const roundedMinor = (decimal: string, currency: string): number => {
  const [, whole = '0', fraction = ''] = decimalText.exec(decimal) ?? [];
  const places = digitsOf(currency);
  const kept = Number(`${whole}${fraction.slice(0, places).padEnd(places, '0')}`);
  return kept + (Number(fraction[places] ?? '0') >= 5 ? 1 : 0);
};

/** Minor units as decimal text with the currency's own digits. */
export const fromMinor = (minor: number, currency: string): string => {
  const places = digitsOf(currency);
  const text = String(minor).padStart(places + 1, '0');
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
};

/** Whether a decimal text is above the greatest price. */
export const isAbovePrice = (decimal: string): boolean => {
  const [, whole = '0', fraction = ''] = decimalText.exec(decimal) ?? [];
  const value = BigInt(whole) * 1_000_000_000_000n + BigInt(fraction.padEnd(12, '0'));
  return value > 99_999_999_990_000_000_000n;
};

const currencies = new Set(Intl.supportedValuesOf('currency'));
const digits = new Map<string, number>();

/** Numbers below a millionth or beyond 10^21 are written with an exponent, and are no amounts of money. */
const numberText = (value: number): string => (Number.isFinite(value) ? String(value) : '');
