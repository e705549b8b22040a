import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';

/**
 * The digits, with country code, of a phone number from an outside system; undefined when it is ambiguous. Platforms forward what the buyer
 * typed, so a number without a country code takes the country of the postal address.
 */
export const phoneOf = (text: string, country: string | undefined): string | undefined => {
  const international = /^\s*(\+|00)/.test(text);
  const written = international ? text.trim().replace(/^00/, '+') : text;
  const isCountry = country !== undefined && /^[A-Z]{2}$/.test(country);
  const parsed = isCountry ? parsePhoneNumberFromString(written, country as CountryCode) : parsePhoneNumberFromString(written);
  return parsed?.isPossible() ? parsed.number.slice(1) : undefined;
};
