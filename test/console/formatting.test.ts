import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Part, partsOf } from '../../console/components/formatting.ts';

const textsIn = (parts: readonly Part[], signs: (sign: string, inner: string) => string): string =>
  parts
    .map((part) => {
      if (part.kind === 'text' || part.kind === 'link') return part.text;
      const inner = textsIn(part.parts, signs);
      return 'end' in part ? part.sign + inner + part.end : signs(part.sign, inner);
    })
    .join('');
/** The text that was sent, put together from its parts. */
const sent = (text: string): string => textsIn(partsOf(text), (sign, inner) => sign + inner + sign);
/** As it is shown, with `<b>` for the kinds of its parts. */
const shown = (text: string): string => {
  const names = { bold: 'b', italic: 'i', struck: 's', code: 'code', mono: 'pre', bullet: 'li', number: 'n', quote: 'q' };
  const of = (parts: readonly Part[]): string =>
    parts
      .map((part) => {
        if (part.kind === 'text') return part.text;
        if (part.kind === 'link') return `<${part.href === part.text ? '' : `${part.href} `}${part.text}>`;
        return `<${names[part.kind]}>${of(part.parts)}</>`;
      })
      .join('');
  return of(partsOf(text));
};

describe("a customer's text", () => {
  test.each([
    'final_v2_really_final.pdf',
    '2*3*4=24',
    'snake_case_name and kebab-case-name',
    '1_000_000 or 5 * 3 * 2',
    'a * b * c and * d*',
    '~5 to ~10 euros',
    '**bold?** and __init__ and ~~gone~~',
    'Alone: * and _ and ~ and `',
    'no*end and no_ end',
    '*over\nlines*',
    '*',
    '',
    '``` ```',
    '*бит*ва und Straße_n_name',
  ])('%j is shown as it was written', (text) => {
    expect(partsOf(text)).toEqual(text === '' ? [] : expect.anything());
    expect(shown(text).replaceAll('\n', '')).toBe(text.replaceAll('\n', ''));
  });

  test.each([
    ['*bold*, _italic_, ~struck~', '<b>bold</>, <i>italic</>, <s>struck</>'],
    ['*bold words* (_in brackets_) "~quoted~".', '<b>bold words</> (<i>in brackets</>) "<s>quoted</>".'],
    ['*_both_* and _*both*_ and *~_all_~*', '<b><i>both</></> and <i><b>both</></> and <b><s><i>all</></></>'],
    ['*2* of 3*4*5', '<b>2</> of 3*4*5'],
    ['*a _b* c_', '<b>a _b</> c_'],
    ['_final_v2.pdf_', '<i>final_v2.pdf</>'],
    ['*Straße*, _ünïcode_ 😀*now*😀', '<b>Straße</>, <i>ünïcode</> 😀<b>now</>😀'],
    ['`a*b*c` and ```x\n *y*```', '<code>a*b*c</> and <pre>x\n *y*</>'],
    ['*see `code` here*', '<b>see <code>code</> here</>'],
    ['- one\n* two\n1. three\n> *four*', '<li>one</><li>two</><n>1. three</><q><b>four</></>'],
    ['-one\n*two\n1.three\n>four', '-one\n*two\n1.three\n>four'],
  ])('%j is shown as %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
    expect(sent(text)).toBe(text);
  });

  test.each([
    ['https://example.com/foo).', '<https://example.com/foo>).'],
    ['(see https://example.com/foo_(bar))', '(see <https://example.com/foo_(bar)>)'],
    ['https://example.com/a_b_c?q=*x*&r=~y~#z_', '<https://example.com/a_b_c?q=*x*&r=~y~#z>_'],
    ['*https://example.com/x*', '<b><https://example.com/x></>'],
    ['_see www.example.com, now_', '<i>see <https://www.example.com www.example.com>, now</>'],
    ['Is it https://example.com?', 'Is it <https://example.com>?'],
    ['john_a_doe@example.com, please', '<mailto:john_a_doe@example.com john_a_doe@example.com>, please'],
    ['_john@example.co.uk_', '<i><mailto:john@example.co.uk john@example.co.uk></>'],
    ['mail@ and @name and a@b and http:// and https://.', 'mail@ and @name and a@b and http:// and https://.'],
    ['javascript:alert(1) and <b>no element</b>', 'javascript:alert(1) and <b>no element</b>'],
  ])('%j has its addresses as %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
    expect(sent(text)).toBe(text);
  });
});

/** Texts in which signs, words, blanks, addresses and lines meet in every way. */
const pieces = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('*', '_', '~', '`', '```', '**') },
  { weight: 4, arbitrary: fc.constantFrom(' ', '\n', '  ', '\t', '.', ',', '(', ')', '!', '- ', '* ', '> ', '1. ') },
  { weight: 4, arbitrary: fc.constantFrom('word', 'a', '24', 'é', 'ß', '日本', 'مرحبا', '😀', '€') },
  { weight: 1, arbitrary: fc.constantFrom('https://example.com/a_b*c', 'www.x.org', 'a_b@c.de', 'file_v2_x.pdf', '2*3*4') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
);
const texts = fc.array(pieces, { maxLength: 40 }).map((some) => some.join(''));

test('nothing of 10,000 random texts is lost or changed: what is shown, with its signs, is what was sent', () => {
  fc.assert(
    fc.property(texts, (text) => sent(text) === text),
    { numRuns: 10_000 },
  );
});

test('what is shown of 10,000 random texts lacks signs alone, each with no blank inside and no letter or digit outside', () => {
  const isWord = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);
  fc.assert(
    fc.property(texts, (text) => {
      let place = 0;
      const walk = (parts: readonly Part[]): void => {
        for (const part of parts) {
          if (part.kind === 'text' || part.kind === 'link') {
            expect(text.startsWith(part.text, place)).toBe(true);
            place += part.text.length;
          } else if ('end' in part) {
            expect(place === 0 || text[place - 1] === '\n').toBe(true);
            place += part.sign.length;
            walk(part.parts);
            place += part.end.length;
          } else {
            expect(['*', '_', '~', '`', '```']).toContain(part.sign);
            expect(isWord(text.charAt(place - 1))).toBe(false);
            place += part.sign.length;
            const start = place;
            walk(part.parts);
            const inner = text.slice(start, place);
            expect(inner.trim()).not.toBe('');
            if (part.kind !== 'mono')
              expect([inner.trim(), inner.includes('\n') && part.parts.every(({ kind }) => kind !== 'mono')]).toEqual([inner, false]);
            place += part.sign.length;
            expect(isWord(text.charAt(place))).toBe(false);
          }
        }
      };
      walk(partsOf(text));
      expect(place).toBe(text.length);
    }),
    { numRuns: 10_000 },
  );
});

test('a name of a file, an address of mail or a calculation is shown as it was written, whatever it is and wherever it stands', () => {
  const name = fc.stringMatching(/^[a-z0-9]{1,6}(?:[_*~][a-z0-9]{1,6}){1,4}$/);
  const address = fc.tuple(fc.stringMatching(/^[a-z0-9]{1,6}(?:_[a-z0-9]{1,6}){0,3}$/)).map(([local]) => `${local}@example.com`);
  const visible = (parts: readonly Part[]): string => parts.map((part) => ('text' in part ? part.text : visible(part.parts))).join('');
  fc.assert(
    fc.property(
      fc.array(fc.oneof(name, address), { minLength: 1, maxLength: 5 }),
      fc.constantFrom(' ', ', ', ' (', '\n'),
      (words, between) => {
        const text = words.join(between);
        return visible(partsOf(text)) === text;
      },
    ),
    { numRuns: 10_000 },
  );
});

test.each(['*a ', '_', '`', ')', 'a@', '*a* ', '```', 'https://x.co/(', '- x\n', '1. ', 'a_'])(
  'a text of the greatest length made of %j is read within a second',
  (piece) => {
    const text = piece.repeat(65_536 / piece.length);
    const began = performance.now();
    expect(sent(text)).toBe(text);
    expect(performance.now() - began).toBeLessThan(1_000);
  },
);
