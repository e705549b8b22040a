import wordsByLanguage from './default-keywords.json' with { type: 'json' };

/** A company's opt-out (`stop`) and opt-in (`start`) keywords; undefined: the defaults. */
export interface Keywords {
  stop: readonly string[] | undefined;
  start: readonly string[] | undefined;
}

export const maxKeywordWords = 3;

/**
 * The defaults in the most common languages. Words that answer everyday questions ("no", "enough", "later") are left out: they would
 * unsubscribe contacts that only answered one.
 */
export const defaultKeywords = Object.entries(wordsByLanguage).map(([language, { stop, start }]) => ({
  language,
  stop: stop.split(', '),
  start: start.split(', '),
}));

/**
 * Whether a whole text is a keyword, regardless of case, accents and punctuation around it. A keyword has at most three words; one on both
 * lists opts out. See docs/decisions/consent-keywords.md.
 */
export const matchKeyword = (text: string, { stop, start }: Keywords): 'stop' | 'start' | undefined => {
  const written = normalizeKeyword(text);
  if (!couldBeKeyword(text)) return undefined;
  if (stop ? stop.some((word) => normalizeKeyword(word) === written) : defaults().stop.has(written)) return 'stop';
  if (start ? start.some((word) => normalizeKeyword(word) === written) : defaults().start.has(written)) return 'start';
  return undefined;
};

/** Whether a text is short enough to be a keyword; other texts need no list. */
export const couldBeKeyword = (text: string): boolean => {
  if (text.trim().length > 100) return false;
  const written = normalizeKeyword(text);
  return written !== '' && written.split(' ').length <= maxKeywordWords;
};

/**
 * Letters without case, accents, vowel points and elongation; without marks around; one space between words. Vowel signs of Indic
 * scripts are letters and stay.
 */
export const normalizeKeyword = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f\u064b-\u0655\u0670\u0640\u200b-\u200f\u2066-\u2069\u202a-\u202e\ufeff]/g, '')
    .replaceAll('ı', 'i')
    .replaceAll('ß', 'ss')
    .normalize('NFC')
    .replace(/[\s_-]+/gu, ' ')
    .replace(/^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu, '');

/** Hundreds of words, with the first text that could be one: functions that never see one do not normalize them at their start. */
const defaults = (): DefaultKeywords =>
  (defaultSets ??= {
    stop: new Set(defaultKeywords.flatMap(({ stop }) => stop.map(normalizeKeyword))),
    start: new Set(defaultKeywords.flatMap(({ start }) => start.map(normalizeKeyword))),
  });

interface DefaultKeywords {
  stop: ReadonlySet<string>;
  start: ReadonlySet<string>;
}
let defaultSets: DefaultKeywords | undefined;
