import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };

/**
 * Countries (A3): ISO 3166-1 numeric in requests, the English short name in responses, alpha-2 in the table. Only the data of
 * i18n-iso-countries is bundled (14 KB), not its code.
 */
export const countryByNumber = (numeric: number): string | undefined => alpha2ByNumber().get(numeric);

export const countryName = (alpha2: string): string | undefined => nameByAlpha2().get(alpha2);

/** Alpha-2 by ISO 3166-1 numeric. Made with its first use, like the names: it would be part of every function's start. */
export const alpha2ByNumber = (): ReadonlyMap<number, string> =>
  (byNumber ??= new Map(codes.map(([alpha2 = '', , numeric]) => [Number(numeric), alpha2])));

/** Overrides where the library lists a long or former name first. */
const shortNames: Readonly<Record<string, string>> = {
  CG: 'Congo',
  CI: "Côte d'Ivoire",
  CN: 'China',
  CZ: 'Czechia',
  GM: 'Gambia',
  MK: 'North Macedonia',
};

const nameByAlpha2 = (): ReadonlyMap<string, string | undefined> =>
  (byAlpha2 ??= new Map(
    Object.entries(english.countries).map(([alpha2, names]): [string, string | undefined] => [
      alpha2,
      shortNames[alpha2] ?? (typeof names === 'string' ? names : names[0]),
    ]),
  ));

let byNumber: ReadonlyMap<number, string> | undefined;
let byAlpha2: ReadonlyMap<string, string | undefined> | undefined;
