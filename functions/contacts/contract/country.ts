import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };

/**
 * Countries (decision A3): ISO 3166-1 numeric on input, the English short name on output, alpha-2 in the table. Only the library's data
 * is bundled (14 KB), not its code.
 */
export const countryByNumber = (numeric: number): string | undefined => alpha2ByNumber.get(numeric);

export const countryName = (alpha2: string): string | undefined => nameByAlpha2.get(alpha2);

const alpha2ByNumber = new Map(codes.map(([alpha2 = '', , numeric]) => [Number(numeric), alpha2]));

/** Where the library lists a long or former name first. */
const shortNames: Readonly<Record<string, string>> = {
  CG: 'Congo',
  CI: "Côte d'Ivoire",
  CN: 'China',
  CZ: 'Czechia',
  GM: 'Gambia',
  MK: 'North Macedonia',
};

const nameByAlpha2 = new Map(
  Object.entries(english.countries).map(([alpha2, names]): [string, string | undefined] => [
    alpha2,
    shortNames[alpha2] ?? (typeof names === 'string' ? names : names[0]),
  ]),
);

/** All countries by name: ISO 3166-1 numeric, English short name, alpha-2. */
export const allCountries = (): { id: number; name: string; code: string }[] =>
  [...alpha2ByNumber]
    .flatMap(([id, code]) => {
      const name = countryName(code);
      return name === undefined ? [] : [{ id, name, code }];
    })
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
