import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countryByNumber, countryName } from '../../functions/contacts/contract/country.ts';
import { canonicalPhone, countryOfPhone, readPhone } from '../../functions/contacts/contract/phone.ts';

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((each) => each.join(''));
const normalized = (input: string): string | undefined => {
  const phone = readPhone(input);
  return phone.ok ? phone.digits : undefined;
};

describe('an input phone', () => {
  it.each([
    ['919876543210', '919876543210'],
    ['+91 98765-43210', '919876543210'],
    ['0091 (98765) 43210', '919876543210'],
    ['+44 (0)20 7946 0958', '442079460958'],
    ['+49 0151 23456789', '4915123456789'],
    ['+39 06 12345678', '390612345678'],
    ['+54 11 15 1234 5678', '5491112345678'],
    ['٩١٩٨٧٦٥٤٣٢١٠', '919876543210'],
    ['+1 555 000 1111', '15550001111'],
    ['521 55 1234 5678', '5215512345678'],
  ])('%s is stored as %s', (input, stored) => expect(normalized(input)).toBe(stored));

  it.each(['', '1234567', '1234567890123456', 'no digits', '+', '00', '99912345678', '12345678'])(
    '%j is rejected with the remedy',
    (input) => expect(readPhone(input)).toMatchObject({ ok: false, reason: expect.stringContaining('for example +49 151 23456789') }),
  );

  it('is read the same once it was read, whatever it was', () => {
    const written = fc.tuple(
      fc.constantFrom('', '+', '00', '0'),
      fc.integer({ min: 7, max: 15 }).chain(digits),
      fc.constantFrom(undefined, 'DE', 'US', 'IN'),
    );
    fc.assert(
      fc.property(written, ([prefix, rest, country]) => {
        const read = readPhone(prefix + rest, country);
        if (!read.ok) return;
        expect(read.digits).toMatch(/^[1-9]\d{7,14}$/);
        expect(readPhone(`+${read.digits}`, country)).toMatchObject({ ok: true, digits: read.digits });
        expect(readPhone(read.digits)).toMatchObject({ ok: true, digits: read.digits });
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });
});

describe('variants of a number lead to one contact', () => {
  it.each([
    ['Mexico', '5215512345678', '525512345678'],
    ['Argentina', '5491123456789', '541123456789'],
    ['Brazil', '5541987654321', '554187654321'],
  ])('%s: %s and %s', (_country, long, short) => expect(canonicalPhone(long)).toBe(canonicalPhone(short)));

  it('any number of these three countries, in both forms', () => {
    const both = fc.oneof(
      digits(10).map((rest) => [`521${rest}`, `52${rest}`]),
      digits(10).map((rest) => [`549${rest}`, `54${rest}`]),
      fc
        .tuple(fc.integer({ min: 11, max: 99 }), fc.integer({ min: 6, max: 9 }), digits(7))
        .map(([area, first, rest]) => [`55${area}9${first}${rest}`, `55${area}${first}${rest}`]),
    );
    fc.assert(
      fc.property(both, ([long = '', short = '']) => {
        expect(canonicalPhone(long)).toBe(canonicalPhone(short));
      }),
      { seed: 1 },
    );
  });

  it('a Brazilian mobile number and the landline without its 9 stay apart', () =>
    expect(canonicalPhone('5511934567890')).not.toBe(canonicalPhone('551134567890')));

  it('all other numbers have only one form', () =>
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 15 }).chain(digits), (number) => {
        fc.pre(!/^5[245]/.test(number));
        expect(canonicalPhone(number)).toBe(number);
      }),
      { seed: 1 },
    ));

  it('the canonical form is its own canonical form', () =>
    fc.assert(
      fc.property(fc.tuple(fc.constantFrom('52', '521', '54', '549', '55'), digits(11)), ([code, rest]) => {
        const once = canonicalPhone(code + rest);
        expect(canonicalPhone(once)).toBe(once);
      }),
      { seed: 1 },
    ));
});

describe('countries', () => {
  it.each([
    ['919876543210', 'India'],
    ['15550001111', 'United States of America'],
    ['14165550123', 'Canada'],
    ['442079460958', 'United Kingdom'],
    ['5215512345678', 'Mexico'],
    ['77012345678', 'Kazakhstan'],
    ['8613812345678', 'China'],
  ])('%s belongs to %s', (phone, name) => expect(countryName(countryOfPhone(phone) ?? '')).toBe(name));

  it('a number without a country has none', () => expect(countryOfPhone('99912345678')).toBeUndefined());

  it('numeric codes are ISO 3166-1', () => {
    expect(countryByNumber(356)).toBe('IN');
    expect(countryByNumber(4)).toBe('AF');
    expect(countryByNumber(999)).toBeUndefined();
  });
});
