import { parseDigits, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/**
 * Phone numbers (A2): normalizing input, the canonical form that all variants of a number share, and the country of a number.
 */
export type NormalizedPhone = { ok: true; digits: string } | { ok: false };

/**
 * Converts input to digits with country code, no plus: drops everything but digits and a leading + or 00, and requires 8 to 15 digits.
 * libphonenumber removes a trunk zero where the result is a possible number. Impossible numbers are accepted unchanged, because the API
 * promises acceptance by length alone. Normalizing a normalized number returns it unchanged.
 */
export const normalizePhone = (input: string): NormalizedPhone => {
  const digits = parseDigits(input).replace(/^00/, '');
  return isPhoneLength(digits) ? { ok: true, digits: withoutTrunkPrefix(digits) } : { ok: false };
};

/**
 * Converts a number of a bulk list to digits with country code (A15). A number without + or 00 is local: it gets the calling code, unless it
 * starts with that code and is complete, and loses its trunk zero. Undefined unless 1 to 15 digits remain.
 */
export const normalizeListedPhone = (input: string, callingCode: string | undefined): string | undefined => {
  const typed = parseDigits(input);
  if (typed === '') return undefined;
  const isInternational = /^[^\d+]*(\+|00)/.test(input) || callingCode === undefined;
  const digits = isInternational ? typed.replace(/^00/, '') : withCallingCode(typed, callingCode);
  const normalized = normalizePhone(digits);
  if (normalized.ok) return normalized.digits;
  return digits.length > 0 && digits.length < 8 ? digits : undefined;
};

function withCallingCode(digits: string, callingCode: string): string {
  const parsed = digits.startsWith(callingCode) ? parsePhoneNumberFromString(`+${digits}`) : undefined;
  const isComplete = parsed?.countryCallingCode === callingCode && parsed.isPossible();
  return isComplete ? digits : `${callingCode}${digits.replace(/^0+/, '')}`;
}

/**
 * The key under which a contact is found, so that all variants the provider reports of a number lead to one contact: Mexico 52 / 52 1,
 * Argentina 54 / 54 9, Brazil with and without the ninth digit. In Brazil only mobile numbers that began with 6 to 9 before the ninth digit
 * have two forms; without the 9, other numbers would be landlines.
 */
export const canonicalPhone = (digits: string): string =>
  digits
    .replace(/^521(\d{10})$/, '52$1')
    .replace(/^549(\d{10})$/, '54$1')
    .replace(/^55([1-9]\d)9([6-9]\d{7})$/, '55$1$2');

/** ISO 3166-1 alpha-2 of a normalized number: its own country, else the main country of its calling code. Undefined for unknown codes. */
export const countryOfPhone = (digits: string): string | undefined => {
  const parsed = parsePhoneNumberFromString(`+${digits}`);
  if (parsed === undefined) return undefined;
  return parsed.country ?? parsed.getPossibleCountries()[0];
};

/** Recursive, because an invented number may have several zeros there. */
function withoutTrunkPrefix(digits: string): string {
  const parsed = parsePhoneNumberFromString(`+${digits}`);
  const tidied = parsed?.isPossible() ? parsed.number.slice(1) : digits;
  return tidied === digits || !isPhoneLength(tidied) ? digits : withoutTrunkPrefix(tidied);
}

const isPhoneLength = (digits: string): boolean => digits.length >= 8 && digits.length <= 15;
