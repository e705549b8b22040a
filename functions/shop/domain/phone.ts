import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';

/**
 * The digits, with country code, of a phone that an outside system wrote; undefined where it cannot be told which number is meant.
 * Platforms write what the buyer typed: without a country code it takes the country of the address.
 */
export const phoneOf = (text: string, country: string | undefined): string | undefined => {
  const international = /^\s*(\+|00)/.test(text);
  const written = international ? text.trim().replace(/^00/, '+') : text;
  const isCountry = country !== undefined && /^[A-Z]{2}$/.test(country);
  const parsed = isCountry ? parsePhoneNumberFromString(written, country as CountryCode) : parsePhoneNumberFromString(written);
  return parsed?.isPossible() ? parsed.number.slice(1) : undefined;
};
