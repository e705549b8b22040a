import { callingCodes } from './calling-codes.generated.ts';

/** `US:1 AG:1268 CA:1204,1226`: the country of each prefix of phone numbers. */
const countries = new Map<string, string>(
  callingCodes.split(' ').flatMap((entry) => {
    const [country = '', prefixes = ''] = entry.split(':');
    return prefixes.split(',').map((prefix): [string, string] => [prefix, country]);
  }),
);
/** The calling codes, none of which begins with another one, each with the length of its longest prefix. */
const codes = codesOf([...countries.keys()]);

function codesOf(prefixes: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const prefix of prefixes.toSorted((a, b) => a.length - b.length)) {
    const code = codeIn(found, prefix) ?? prefix;
    found.set(code, Math.max(found.get(code) ?? 0, prefix.length));
  }
  return found;
}

function codeIn(known: ReadonlyMap<string, number>, digits: string): string | undefined {
  for (let length = 1; length <= 3; length++) {
    const code = digits.slice(0, length);
    if (known.has(code)) return code;
  }
  return undefined;
}

/**
 * ISO 3166-1 alpha-2 of a recipient by the digits of the phone, by its longest known prefix; undefined of numbers of no country, as those of
 * satellite networks. Two or three look-ups of a text, because a campaign makes one for each recipient; libphonenumber reads the whole number.
 */
export const recipientCountry = (digits: string): string | undefined => {
  const code = codeIn(codes, digits);
  if (code === undefined) return undefined;
  for (let length = codes.get(code) ?? 0; length > code.length; length--) {
    const country = countries.get(digits.slice(0, length));
    if (country !== undefined) return country;
  }
  return countries.get(code);
};

/** The country that a provider's user id begins with: `US.1234`. It stands for the phone of a contact that shows none. */
export const userIdCountry = (userId: string): string | undefined => /^([A-Z]{2})\./.exec(userId)?.[1];
