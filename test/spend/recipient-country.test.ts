import { type CountryCode, getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import mobile from 'libphonenumber-js/mobile/examples';
import { describe, expect, test } from 'vitest';
import { generateCallingCodes } from '../../lib/generate/calling-codes.ts';
import { callingCodes } from '../../functions/spend/domain/calling-codes.generated.ts';
import { recipientCountry, userIdCountry } from '../../functions/spend/domain/recipient-country.ts';
import { seeded } from '../support/random.ts';

/** What libphonenumber, which reads the whole number, says of digits; undefined: it knows no such number. */
const countryByLibrary = (digits: string): string | undefined => {
  const parsed = parsePhoneNumberFromString(`+${digits}`);
  return parsed?.isValid() ? parsed.country : undefined;
};

describe('the country of a recipient', () => {
  // of Åland and some others the numbers are among those of the main country: the library names that one too
  test.each(getCountries())('%s: its example number is of the country that libphonenumber names', (country: CountryCode) => {
    const digits = getExampleNumber(country, mobile)?.number.slice(1) ?? '';
    expect(countryByLibrary(digits)).toBeDefined();
    expect([digits, recipientCountry(digits)]).toEqual([digits, countryByLibrary(digits)]);
  });

  // national numbers of +1, +7 and +44 have ten digits: each area of three or four digits, with several numbers in it
  test.each([
    ['1', 3],
    ['7', 3],
    ['44', 4],
  ])('+%s: every area is of the country that libphonenumber names', (code, length) => {
    const random = seeded(48);
    const wrong: string[] = [];
    let compared = 0;
    for (let area = 0; area < 10 ** length; area++) {
      for (let nth = 0; nth < 12; nth++) {
        const rest = String(Math.floor(random() * 10 ** (10 - length))).padStart(10 - length, '0');
        const digits = `${code}${String(area).padStart(length, '0')}${rest}`;
        const country = countryByLibrary(digits);
        if (country === undefined) continue;
        compared++;
        if (recipientCountry(digits) !== country) wrong.push(`${digits}: ${recipientCountry(digits)}, not ${country}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(2_000);
  });

  test.each([
    ['18095551234', 'DO'],
    ['17875551234', 'PR'],
    ['12045551234', 'CA'],
    ['12125551234', 'US'],
    ['77012345678', 'KZ'],
    ['79161234567', 'RU'],
    ['447911123456', 'GG'],
    ['447400123456', 'GB'],
    ['393123456789', 'IT'],
    ['390669812345', 'VA'],
  ])('%s is of %s', (digits, country) => {
    expect(recipientCountry(digits)).toBe(country);
  });

  test.each(['', '0', '999123456', '800123456', '881612345678', '8821234567'])('"%s" is of none', (digits) => {
    expect(recipientCountry(digits)).toBeUndefined();
  });

  test('without a phone is that of the user id', () => {
    expect(['US.13491208655302741918', 'DE.ENT.4711', 'us.1', '4915112345678'].map(userIdCountry)).toEqual([
      'US',
      'DE',
      undefined,
      undefined,
    ]);
  });
});

test('the table is the one that is generated, and small enough for every function', () => {
  expect(callingCodes.length).toBeLessThan(6_000);
  expect(generateCallingCodes().content.replaceAll(/[^A-Z0-9:,]/g, '')).toContain(
    callingCodes.replaceAll(/[^A-Z0-9:,]/g, '').slice(0, 1_000),
  );
});
