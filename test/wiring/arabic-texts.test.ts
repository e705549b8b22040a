import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ar as developers } from '../../console/text/ar/developers.ts';
import { ar as inbox } from '../../console/text/ar/inbox.ts';
import { en as inboxInEnglish } from '../../console/text/en/inbox.ts';
import { directionOf, languageOf, tagOf } from '../../console/text/text.ts';

type Text = string | ((...values: readonly (string | number)[]) => string);

const folder = join(import.meta.dirname, '../../console/text/ar');
const texts = (
  await Promise.all(
    readdirSync(folder)
      .filter((file) => file !== 'first-page.ts')
      .map(async (file) => {
        const { ar } = (await import(join(folder, file))) as { ar: Readonly<Record<string, Text>> };
        return Object.entries(ar).map(([name, text]) => ({ name: `${file} ${name}`, text }));
      }),
  )
).flat();

/** What is the same in every language. */
const isName = (words: string): boolean => ['API', 'curl', 'TypeScript'].includes(words);
// an emoji has no direction, and is the first value where there is one
const filled = (text: Text): string =>
  typeof text === 'string'
    ? text
    : text(...Array.from({ length: text.length }, (_, nth) => (text === inbox.reactedWith && nth === 0 ? '👍' : 'Ada')));
const outsideOfValues = (words: string): string => words.replace(/\u2068[^\u2069]*\u2069/g, '');

afterEach(() => vi.unstubAllGlobals());

describe('texts in Arabic', () => {
  test('are all of the console’s, in Arabic letters', () => {
    expect(texts.length).toBeGreaterThan(500);
    expect(
      texts
        .filter(({ text }) => !isName(filled(text)) && !/\p{Script=Arabic}/u.test(outsideOfValues(filled(text))))
        .map(({ name }) => name),
    ).toEqual([
      // two values and their order
      'inbox.ts quoted',
      'inbox.ts announced',
      'inbox.ts reactedWith',
      'settings.ts auditDifference',
    ]);
  });

  test('begin with what is read from the right, which a line takes its direction from', () => {
    const first = (words: string): string | undefined => /[\p{L}\u200f]/u.exec(outsideOfValues(words))?.[0];
    const fromLeft = texts.filter(({ text }) => {
      const letter = isName(filled(text)) ? undefined : first(filled(text));
      return letter !== undefined && !/[\p{Script=Arabic}\u200f]/u.test(letter);
    });
    expect(fromLeft.map(({ name }) => name)).toEqual([]);
  });

  test('let no value move the words around it: a value in words stands apart', () => {
    const open = texts.filter(({ text }) => outsideOfValues(filled(text)).includes('Ada'));
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  test('have the six forms of a count, and the digits of the reader’s region', () => {
    vi.stubGlobal('navigator', { languages: ['fr-FR', 'ar-MA'] });
    expect([0, 1, 2, 3, 11, 100].map((count) => developers.lifeDays(count))).toEqual([
      'اليوم',
      'يوم واحد',
      'يومين',
      '3 أيام',
      '11 يومًا',
      '100 يوم',
    ]);
    vi.stubGlobal('navigator', { languages: ['ar-EG'] });
    expect(inbox.unreadCount(12)).toBe('١٢ رسالة غير مقروءة');
  });

  test('are those that the inbox has in English, in the same order', () => {
    expect(Object.keys(inbox)).toEqual(Object.keys(inboxInEnglish));
  });
});

test('the language of a browser is by its first part, and gives the direction', () => {
  expect(['ar', 'ar-EG', 'AR-sa', 'arn', 'de_AT', 'den', 'he'].map(languageOf)).toEqual(['ar', 'ar', 'ar', 'en', 'de', 'en', 'en']);
  expect((['en', 'de', 'ar'] as const).map(directionOf)).toEqual(['ltr', 'ltr', 'rtl']);
  vi.stubGlobal('navigator', { languages: ['arn-CL', 'ar-EG'] });
  expect(tagOf('ar')).toBe('ar-EG');
  expect(tagOf('de')).toBe('de');
});
