import { callingCodes } from './calling-codes.generated.ts';

/** The prefixes of phone numbers as a tree. Place 0 is its root. */
interface PrefixTree {
  countries: readonly string[];
  /** Ten for each place, one a digit: the place that it leads to; 0: none. */
  branches: readonly number[];
  /** For each place the number of the country whose prefix ends there, from 1; 0: none does. */
  endsAt: readonly number[];
}

/** `US:1 AG:1268 CA:1204,1226`: the prefixes of each country. */
function treeOf(codes: string): PrefixTree {
  const none = Array.from({ length: 10 }, () => 0);
  const countries: string[] = [];
  const branches = [...none];
  const endsAt = [0];
  const placeOf = (prefix: string): number => {
    let place = 0;
    for (const digit of prefix) {
      const branch = 10 * place + Number(digit);
      if (branches[branch] === 0) {
        branches[branch] = endsAt.push(0) - 1;
        branches.push(...none);
      }
      place = branches[branch] ?? 0;
    }
    return place;
  };
  for (const entry of codes.split(' ')) {
    const [country = '', prefixes = ''] = entry.split(':');
    countries.push(country);
    for (const prefix of prefixes.split(',')) endsAt[placeOf(prefix)] = countries.length;
  }
  return { countries, branches, endsAt };
}

const tree = treeOf(callingCodes);
const zero = '0'.charCodeAt(0);

/**
 * ISO 3166-1 alpha-2 of a recipient by the digits of the phone, by its longest known prefix; undefined of numbers of no country, as those of
 * satellite networks. A few steps down a tree and no text made, because a campaign looks each recipient up; libphonenumber reads the whole number.
 */
export const recipientCountry = (digits: string): string | undefined => countryFrom(digits, 0);

/** The same of a phone with or without its plus sign. */
export const phoneCountry = (phone: string): string | undefined => countryFrom(phone, phone.charCodeAt(0) === plus ? 1 : 0);
const plus = '+'.charCodeAt(0);

function countryFrom(text: string, first: number): string | undefined {
  const { countries, branches, endsAt } = tree;
  let found = 0;
  for (let place = 0, at = first; at < text.length; at++) {
    const digit = text.charCodeAt(at) - zero;
    place = digit >= 0 && digit <= 9 ? (branches[10 * place + digit] ?? 0) : 0;
    if (place === 0) break;
    found = endsAt[place] || found;
  }
  return found === 0 ? undefined : countries[found - 1];
}

/** The country that a provider's user id begins with: `US.1234`. It stands for the phone of a contact that shows none. */
export const userIdCountry = (userId: string): string | undefined => /^([A-Z]{2})\./.exec(userId)?.[1];
