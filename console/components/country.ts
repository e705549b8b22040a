/** The name of a country in the reader's language. What is no code of two letters stays as the API has it. */
export const countryName = <T extends string | null>(tag: string, country: T): T | string =>
  country !== null && /^[A-Z]{2}$/.test(country) ? (new Intl.DisplayNames(tag, { type: 'region' }).of(country) ?? country) : country;
