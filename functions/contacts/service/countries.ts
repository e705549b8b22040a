import { alpha2ByNumber, countryName } from '../contract/country.ts';

/** All countries by name: ISO 3166-1 numeric, English short name, alpha-2. */
export const listCountries = (): { id: number; name: string; code: string }[] =>
  [...alpha2ByNumber()]
    .flatMap(([id, code]) => {
      const name = countryName(code);
      return name === undefined ? [] : [{ id, name, code }];
    })
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
