import type { Contact } from '../contract/stored.ts';
import { isLive, phonesOfMerged } from './contact.ts';

/**
 * Search (A13): any substring of the name or, after an `@`, of the user name at the provider, ignoring case and accents, or of the phone's digits. It reads digests: rows of 16 contacts, one
 * line each with place in the row, phone and searchable name. See docs/decisions/contact-search.md.
 */
export const digestSize = 16;

export const digestOf = (id: number): number => Math.floor(id / digestSize);

/** Lower case without accents; letters that Unicode does not decompose are replaced; white space becomes one space. */
export const searchableText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => letterReplacements[letter] ?? letter)
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();

const letterReplacements: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** What search reads of a contact. */
export interface SearchColumns {
  /** Its own phone, then those of contacts that were merged into it, with commas between, which no number typed has. */
  phone: string;
  name: string;
}

type Searchable = Pick<Contact, 'phone' | 'name' | 'username' | 'aliases' | 'deletedAt'>;

/** Undefined for a deleted contact. */
export const searchColumns = (contact: Searchable | undefined): SearchColumns | undefined =>
  isLive(contact) ? { phone: [contact.phone, ...phonesOfMerged(contact)].join(','), name: searchableNames(contact) } : undefined;

const searchableNames = ({ name, username }: Pick<Searchable, 'name' | 'username'>): string =>
  searchableText([name, username && `@${username.value}`].filter((each) => each !== undefined).join(' '));

/** The line of a contact; undefined for a deleted one. */
export const digestLine = (contact: Contact | undefined): string | undefined => {
  const columns = searchColumns(contact);
  return contact && columns && `${(contact.id % digestSize).toString(36)}${columns.phone} ${columns.name}`;
};

/** The lines of a digest after the line of one contact changed; sorted by id. */
export const withLine = (lines: string, id: number, line: string | undefined): string => {
  const place = (id % digestSize).toString(36);
  const others = lines.split('\n').filter((each) => each !== '' && !each.startsWith(place));
  return [...others, ...(line === undefined ? [] : [line])].sort().join('\n');
};

/** The ids of the contacts in a digest, greatest first. */
export const idsIn = (digest: number, lines: string): number[] =>
  lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => digest * digestSize + Number.parseInt(line.charAt(0), 36))
    .reverse();

/** What to find: a part of the name, a part of the phone, or either. */
export interface SearchTerms {
  text: string;
  digits: string;
}

export const searchTerms = (typed: string): SearchTerms => ({
  text: searchableText(typed),
  // digits are a phone only when the search text has nothing else
  digits: /^[\d\s()+.\-/]+$/.test(typed) ? typed.replace(/\D/g, '') : '',
});

export const matchesTerms = ({ text, digits }: SearchTerms, { phone, name }: SearchColumns): boolean =>
  (digits !== '' && phone.includes(digits)) || (text !== '' && name.includes(text));

/** Whether a line of a digest matches the search text. */
export type Matcher = (line: string) => boolean;

export const lineMatcher =
  (terms: SearchTerms): Matcher =>
  (line) => {
    const space = line.indexOf(' ');
    return matchesTerms(terms, { phone: line.slice(1, space), name: line.slice(space + 1) });
  };
