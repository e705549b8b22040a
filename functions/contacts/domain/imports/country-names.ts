import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };

/** The ISO 3166-1 numeric code for a country cell: an English name, a code of two or three letters, or the number. */
export const countryByName = (given: string): number | undefined => {
  if (/^\d{1,3}$/.test(given)) return numbersByName().get(String(Number(given)));
  return numbersByName().get(normalized(given));
};

const normalized = (name: string): string => name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();

/** Made with its first use: a thousand names would be part of every function's start that may read a file. */
function numbersByName(): ReadonlyMap<string, number> {
  if (byName) return byName;
  const numberByAlpha2 = new Map(codes.map(([alpha2 = '', , numeric]) => [alpha2, Number(numeric)]));
  byName = new Map<string, number>([
    ...codes.flatMap(([alpha2 = '', alpha3 = '', numeric]) =>
      [normalized(alpha2), normalized(alpha3), String(Number(numeric))].map((each) => [each, Number(numeric)] as const),
    ),
    ...Object.entries(english.countries).flatMap(([alpha2, names]) => {
      const number = numberByAlpha2.get(alpha2);
      return number === undefined ? [] : [names].flat().map((name) => [normalized(name), number] as const);
    }),
  ]);
  return byName;
}

let byName: ReadonlyMap<string, number> | undefined;
