import { parseDigits, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/**
 * Phone numbers (decision A2): how input becomes the stored form, which numbers are one person, and which country a number is of.
 */
export type NormalizedPhone = { ok: true; digits: string } | { ok: false };

/**
 * Input to digits with country code, no plus. Everything but digits and a leading + or 00 is dropped; 8 to 15 digits must be left.
 * The library removes a trunk zero where that makes a possible number; a number it deems impossible is taken as it is, because the
 * specification promises acceptance by length alone. The stored form of a stored form is itself.
 */
export const normalizePhone = (input: string): NormalizedPhone => {
  const digits = parseDigits(input).replace(/^00/, '');
  return isPhoneLength(digits) ? { ok: true, digits: withoutTrunkPrefix(digits) } : { ok: false };
};

/**
 * A number of a list to digits with country code (A15): one without + or 00 is local, and gets the calling code unless it has it already
 * at a full length; a trunk zero is removed. At least one digit and at most 15, else undefined.
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
 * The one form by which a contact is found, so that the variants the provider reports of a number meet the same contact:
 * Mexico 52 / 52 1, Argentina 54 / 54 9, Brazil without and with the ninth digit. In Brazil only numbers that existed before the ninth
 * digit (then beginning 6 to 9) have two forms; the others without their 9 would be somebody's landline.
 */
export const canonicalPhone = (digits: string): string =>
  digits
    .replace(/^521(\d{10})$/, '52$1')
    .replace(/^549(\d{10})$/, '54$1')
    .replace(/^55([1-9]\d)9([6-9]\d{7})$/, '55$1$2');

/** ISO 3166-1 alpha-2 of a number in stored form: its own country, else the main one of its calling code; undefined if it has none. */
export const countryOfPhone = (digits: string): string | undefined => {
  const parsed = parsePhoneNumberFromString(`+${digits}`);
  if (parsed === undefined) return undefined;
  return parsed.country ?? parsed.getPossibleCountries()[0];
};

/** Repeated, because a made-up number may have several zeros there. */
function withoutTrunkPrefix(digits: string): string {
  const parsed = parsePhoneNumberFromString(`+${digits}`);
  const tidied = parsed?.isPossible() ? parsed.number.slice(1) : digits;
  return tidied === digits || !isPhoneLength(tidied) ? digits : withoutTrunkPrefix(tidied);
}

const isPhoneLength = (digits: string): boolean => digits.length >= 8 && digits.length <= 15;
