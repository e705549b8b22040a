import { isSupportedCountry, parseDigits, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/**
 * Phone numbers (A2): the one rule by which every way in reads what a caller wrote, the canonical form that all variants of a number share,
 * and the country of a number. See docs/decisions/phone-input.md.
 */
export type PhoneReading = PhoneResult & {
  /** Whether the company's default country could give another result. */
  dependsOnCountry: boolean;
};
type PhoneResult = { ok: true; digits: string } | { ok: false; reason: string };

/**
 * Reads a phone as a caller wrote it into digits with country code, no plus. With + or 00 it is international. Without, it is international
 * if such a number is in use, else one of `country` (ISO 3166-1 alpha-2), else international if one could be. It must have a length that
 * its country uses; a trunk zero is removed. Refused: letters, numbers that a spreadsheet changed, and national ones without a country.
 */
export const readPhone = (input: string, country?: string): PhoneReading => {
  const text = withoutDressing(input);
  if (/^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i.test(text) || /^\d{7,}[.,]0+$/.test(text)) return refused('A spreadsheet changed this number.');
  if (/\p{L}/u.test(text)) return refused('Must be a phone number, without letters.');
  const typed = parseDigits(text);
  if (/\p{Nd}/u.test(text.replaceAll(/[0-9\u0660-\u0669\u06f0-\u06f9]/g, ''))) return refused('Must be written with the digits 0 to 9.');
  if (/\d\D*\+/.test(text)) return refused('Must be one phone number.');
  const isInternational = text.includes('+') || typed.startsWith('00');
  const digits = typed.replace(/^00/, '');
  if (isInternational) return resultOf(internationalPhone(digits)?.digits, digits, false);
  if (digits === '') return refused('Must be a phone number.');
  const international = digits.startsWith('0') ? undefined : internationalPhone(digits);
  if (international?.isInUse) return { ok: true, digits: international.digits, dependsOnCountry: false };
  const national = country === undefined ? undefined : nationalPhone(digits, country);
  const read = national?.isInUse ? national : (international ?? national);
  return resultOf(read?.digits, digits, true);
};

/**
 * Reads a number of a bulk list (A15). A number without + or 00 is local: it gets the calling code, unless it starts with that code and is
 * complete. Without a calling code as every other phone.
 */
export const readListedPhone = (input: string, callingCode: string | undefined, country?: string): PhoneReading => {
  const plain = readPhone(input, country);
  if (callingCode === undefined || (!plain.ok && !plain.dependsOnCountry) || isWrittenInternational(input)) return plain;
  return { ...readPhone(`+${withCallingCode(parseDigits(withoutDressing(input)), callingCode)}`), dependsOnCountry: false };
};

/** Whether a stored phone can be sent to: digits with country code. */
export const isStoredPhone = (digits: string): boolean => /^[1-9]\d{7,14}$/.test(digits);

const isWrittenInternational = (input: string): boolean => /^[^\d+]*(\+|00)/.test(withoutDressing(input));

function withCallingCode(digits: string, callingCode: string): string {
  const parsed = digits.startsWith(callingCode) ? parsePhoneNumberFromString(`+${digits}`) : undefined;
  const isComplete = parsed?.countryCallingCode === callingCode && parsed.isPossible();
  return isComplete ? digits : `${callingCode}${digits.replace(/^0+/, '')}`;
}

/** What is no part of a number: full-width forms, characters without width, the marks of a spreadsheet's text cell, a URI scheme. */
const withoutDressing = (input: string): string =>
  input
    .normalize('NFKC')
    .replaceAll(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .trim()
    .replace(/^=?"(.*)"$/, '$1')
    .replace(/^'/, '')
    .replace(/^(whatsapp|tel):/i, '')
    .trim();

const example = 'Write it with the country code, for example +49 151 23456789.';
const refused = (reason: string): PhoneReading => ({ ok: false, reason: `${reason} ${example}`, dependsOnCountry: false });

function resultOf(read: string | undefined, digits: string, dependsOnCountry: boolean): PhoneReading {
  if (read !== undefined) return { ok: true, digits: read, dependsOnCountry };
  const reason = isLength(digits) ? 'No country has such a number.' : 'Must be a phone number with country code, 8 to 15 digits.';
  return { ok: false, reason: `${digits.startsWith('0') ? 'The country code is missing.' : reason} ${example}`, dependsOnCountry };
}

/** A number that could be one of its country; `isInUse`: also by the ranges that the country has given out. */
interface FoundPhone {
  digits: string;
  isInUse: boolean;
}

function internationalPhone(digits: string): FoundPhone | undefined {
  if (!isLength(digits)) return undefined;
  // Mexico's numbers had a 1 after the country code, by which the provider still knows some
  const parsed = [digits, canonicalPhone(digits)]
    .map((each) => parsePhoneNumberFromString(`+${each}`))
    .find((each) => each?.isPossible() === true);
  return parsed && { digits: withoutTrunkPrefix(digits), isInUse: parsed.isValid() };
}

function nationalPhone(digits: string, country: string): FoundPhone | undefined {
  const parsed = isSupportedCountry(country) ? parsePhoneNumberFromString(digits, country) : undefined;
  const found = parsed?.isPossible() ? parsed.number.slice(1) : undefined;
  return parsed && found !== undefined && isLength(found) ? { digits: found, isInUse: parsed.isValid() } : undefined;
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
  return tidied === digits || !isLength(tidied) ? digits : withoutTrunkPrefix(tidied);
}

const isLength = (digits: string): boolean => digits.length >= 8 && digits.length <= 15;
