import { type Contact, isLive } from './contact.ts';

/**
 * Search (A13): a true substring of the name, case and accents folded, or of the phone's digits. What is searched is a digest of 16
 * contacts a row, one line each: place in the row, phone, folded name.
 */
export const digestSize = 16;

export const digestOf = (id: number): number => Math.floor(id / digestSize);

/** Letters as people type them: without case, accents and the letters that Unicode does not take apart; white space is one space. */
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

/** A contact's line; undefined for one that is not to be found. */
export const digestLine = (contact: Contact | undefined): string | undefined =>
  isLive(contact)
    ? `${(contact.id % digestSize).toString(36)}${contact.phone} ${contact.name === undefined ? '' : searchableText(contact.name)}`
    : undefined;

/** A digest's lines after one contact's changed; in the order of ids. */
export const withLine = (lines: string, id: number, line: string | undefined): string => {
  const place = (id % digestSize).toString(36);
  const others = lines.split('\n').filter((each) => each !== '' && !each.startsWith(place));
  return [...others, ...(line === undefined ? [] : [line])].sort().join('\n');
};

/** How many contacts a digest holds, and which: ids, greatest first. */
export const idsIn = (digest: number, lines: string): number[] =>
  lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => digest * digestSize + Number.parseInt(line.charAt(0), 36))
    .reverse();

/** Whether a line is found by what was typed. */
export type Matcher = (line: string) => boolean;

export const lineMatcher = (typed: string): Matcher => {
  const text = searchableText(typed);
  // the digits count as a phone when nothing but a phone was typed
  const digits = /^[\d\s()+.\-/]+$/.test(typed) ? typed.replace(/\D/g, '') : '';
  return (line) => {
    const space = line.indexOf(' ');
    if (digits !== '' && line.slice(1, space).includes(digits)) return true;
    return text !== '' && line.indexOf(text, space + 1) >= 0;
  };
};
