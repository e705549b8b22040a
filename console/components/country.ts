/** The name of a country in the reader's language, of its code or its English name. What is neither stays as the API has it. */
export const countryName = <T extends string | null>(tag: string, country: T): T | string => {
  if (country === null) return country;
  const code = /^[A-Z]{2}$/.test(country) ? country : codeOf(country);
  return (code && new Intl.DisplayNames(tag, { type: 'region' }).of(code)) ?? country;
};

/** By English name: a contact's country is a text, which the product fills in from the phone. */
let codes: ReadonlyMap<string, string> | undefined;
const codeOf = (name: string): string | undefined => {
  codes ??= new Map(
    letters.flatMap((first) =>
      letters.flatMap((second) => {
        const english = englishNames.of(first + second);
        return english === undefined ? [] : [[english, first + second] as const];
      }),
    ),
  );
  return codes.get(name);
};
const letters = Array.from({ length: 26 }, (_, nth) => String.fromCodePoint(65 + nth));
const englishNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
