import { defaultWords } from './keyword-words.ts';

/** The words of consent of a company; undefined: the usual ones. */
export interface Keywords {
  stop: readonly string[] | undefined;
  start: readonly string[] | undefined;
}

export const maxKeywordWords = 3;

/**
 * Whether a text is a word of consent (A52): the whole text, of at most three words, whatever its case, accents, and marks around it.
 * A word on both lists stops.
 */
export const keywordOf = (text: string, { stop, start }: Keywords): 'stop' | 'start' | undefined => {
  const written = folded(text);
  if (!mayBeKeyword(text)) return undefined;
  if (stop ? stop.some((word) => folded(word) === written) : usual.stop.has(written)) return 'stop';
  if (start ? start.some((word) => folded(word) === written) : usual.start.has(written)) return 'start';
  return undefined;
};

/** Short enough to be one; what is not needs no list. */
export const mayBeKeyword = (text: string): boolean => {
  if (text.trim().length > 100) return false;
  const written = folded(text);
  return written !== '' && written.split(' ').length <= maxKeywordWords;
};

/**
 * Letters without case, accents, vowel points and elongation; without marks around; one space between words. Vowel signs of Indic
 * scripts are letters and stay.
 */
export const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f\u064b-\u0655\u0670\u0640\u200b-\u200f\u2066-\u2069\u202a-\u202e\ufeff]/g, '')
    .replaceAll('ı', 'i')
    .replaceAll('ß', 'ss')
    .normalize('NFC')
    .replace(/[\s_-]+/gu, ' ')
    .replace(/^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu, '');

const usual = {
  stop: new Set(defaultWords.flatMap(({ stop }) => stop.map(folded))),
  start: new Set(defaultWords.flatMap(({ start }) => start.map(folded))),
};
