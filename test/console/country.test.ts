import { expect, test } from 'vitest';
import { countryName } from '../../console/components/country.ts';

test.each([
  ['de', 'DE', 'Deutschland'],
  ['de', 'Germany', 'Deutschland'],
  ['ar', 'Germany', 'ألمانيا'],
  ['en', 'Germany', 'Germany'],
  ['de', 'United States', 'Vereinigte Staaten'],
])('in %s the country %s is called %s', (language, country, name) => {
  expect(countryName(language, country)).toBe(name);
});

test.each(['Atlantis', 'de', '', 'North of the Wall'])('what is neither a code nor a name stays as it is: %j', (given) => {
  expect(countryName('de', given)).toBe(given);
});

test('a country that is not known has no name', () => {
  expect(countryName('de', null)).toBeNull();
});
