import codes from 'i18n-iso-countries/codes.json' with { type: 'json' };
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };

/** The ISO 3166-1 numeric code for a country cell: an English name, a code of two or three letters, or the number. */
export const countryByName = (given: string): number | undefined => {
  if (/^\d{1,3}$/.test(given)) return numbers.get(String(Number(given)));
  return numbers.get(normalized(given));
};

const normalized = (name: string): string => name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();

const numberByAlpha2 = new Map(codes.map(([alpha2 = '', , numeric]) => [alpha2, Number(numeric)]));

const numbers = new Map<string, number>([
  ...codes.flatMap(([alpha2 = '', alpha3 = '', numeric]) =>
    [normalized(alpha2), normalized(alpha3), String(Number(numeric))].map((each) => [each, Number(numeric)] as const),
  ),
  ...Object.entries(english.countries).flatMap(([alpha2, names]) => {
    const number = numberByAlpha2.get(alpha2);
    return number === undefined ? [] : [names].flat().map((name) => [normalized(name), number] as const);
  }),
]);
