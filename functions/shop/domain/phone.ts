import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';

/**
 * The digits, with country code, of a phone that an outside system wrote; undefined where it cannot be told which number is meant.
 * Platforms write what the buyer typed: without a country code it takes the country of the address.
 */
export const phoneOf = (text: string, country: string | undefined): string | undefined => {
  const international = /^\s*(\+|00)/.test(text);
  const parsed = parsePhoneNumberFromString(international ? text.trim().replace(/^00/, '+') : text, {
    ...(country !== undefined && /^[A-Z]{2}$/.test(country) ? { defaultCountry: country as CountryCode } : {}),
  });
  return parsed?.isPossible() ? parsed.number.slice(1) : undefined;
};
