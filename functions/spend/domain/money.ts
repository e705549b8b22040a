/**
 * Amounts inside the product are whole micro-units, a millionth of a currency's unit, as bigint: a year's bill in rupiah does not fit a
 * number exactly. On the wire and in items they are decimal text.
 */
export type Micros = bigint;

const unit = 1_000_000n;
const decimals = 6;

/** What a decimal text may look like: up to nine digits, and six behind the point. */
export const decimalForm = /^\d{1,9}(\.\d{1,6})?$/;

/** The micro-units of a decimal text such as `0.1131`; undefined for anything else. */
export const microsOf = (text: string): Micros | undefined => {
  if (!decimalForm.test(text)) return undefined;
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole) * unit + BigInt(fraction.padEnd(decimals, '0'));
};

/** Micro-units as decimal text without zeros at its end: `312.4`. */
export const decimalText = (micros: Micros): string => {
  const [sign, size] = micros < 0n ? ['-', -micros] : ['', micros];
  const fraction = String(size % unit)
    .padStart(decimals, '0')
    .replace(/0+$/, '');
  return `${sign}${size / unit}${fraction === '' ? '' : `.${fraction}`}`;
};

/** A product by a share, `numerator / denominator`, rounded half up to a micro-unit. */
export const shareOf = (micros: Micros, numerator: bigint, denominator: bigint): Micros =>
  (2n * micros * numerator + denominator) / (2n * denominator);
