import * as fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type CardFiles, readCard } from '../../bin/admin/rates/card-file.ts';
import { marketsOfRows } from '../../bin/admin/rates/card-rows.ts';
import { readWorkbook } from '../../bin/admin/rates/workbook.ts';
import { cardProblem, sourceOfCard } from '../../functions/spend/domain/card.ts';
import { importDoubts, rateFindings } from '../../functions/spend/domain/import-checks.ts';
import { changedPrices } from '../../functions/spend/domain/rate-card.ts';
import { simulatorCards } from '../../lib/local/rate-cards.ts';
import { marketOf } from './cards.ts';
import { workbookOf } from './workbooks.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-rates-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const fileOf = (content: Buffer | string): string => {
  const file = join(folder, `card-${++files}`);
  writeFileSync(file, content);
  return file;
};
const read = (content: Buffer | string, more: Partial<CardFiles> = {}) =>
  readCard({ file: fileOf(content), currency: 'EUR', from: '2026-10-01', ...more });

/** As the provider publishes it: notes above and below, and the names of its columns. */
const header = ['Market', 'Currency', 'Marketing', 'Utility', 'Authentication', 'Authentication-International', 'Service'];
const rows = [
  ['Rates in effect from October 1, 2026'],
  [],
  header,
  ['Germany', 'EUR', 0.1131, 0.0456, 0.0456, 'n/a', 0.0456],
  ['India', 'EUR', 0.0099, 0.0012, 0.0012, 0.0252, 0.0012],
  ['Morocco', 'EUR', 0.03, 0.01, 0.01, 0.05, 0.01],
  ['North America', 'EUR', 0.0207, 0.0028, 0.0028, 'n/a', 0.0028],
  ['Rest of Africa', 'EUR', 0.0186, 0.0033, 0.0033, 'n/a', 0.0033],
  ['Rest of Central & Eastern Europe', 'EUR', 0.0712, 0.0175, 0.0175, 'n/a', 0.0175],
  ['Other', 'EUR', 0.05, 0.0064, 0.0064, 'n/a', 0.0064],
  [],
  ['* Authentication-international holds for businesses that are eligible'],
];
const csvOf = (table: readonly (readonly (string | number | undefined)[])[], delimiter = ','): string =>
  table
    .map((row) => row.map((cell) => (String(cell ?? '').includes(delimiter) ? `"${cell ?? ''}"` : String(cell ?? ''))).join(delimiter))
    .join('\r\n');
const expected = {
  currency: 'EUR',
  effective_from: '2026-10-01',
  markets: expect.arrayContaining([
    {
      market: 'India',
      countries: ['IN'],
      marketing: '0.0099',
      utility: '0.0012',
      authentication: '0.0012',
      authentication_international: '0.0252',
      service: '0.0012',
    },
  ]) as unknown,
};

describe('a card as the provider publishes it', () => {
  test.each([
    ['XLSX', workbookOf(rows)],
    ['XLSX with texts in cells', workbookOf(rows, { isInline: true })],
    ['XLSX without compression', workbookOf(rows, { isStored: true })],
    ['XLSX whose numbers have 17 digits', workbookOf(rows, { isLong: true })],
    ['CSV', csvOf(rows)],
    ['CSV with semicolons and a byte order mark', `\uFEFF${csvOf(rows, ';')}`],
    [
      'CSV with quotes around each cell',
      csvOf(
        rows.map((row) => row.map((cell) => `"${cell}"`)),
        ';',
      ),
    ],
  ])('%s is read as our JSON of it is', (_form, content) => {
    const card = read(content);
    expect(card).toEqual(expected);
    expect(read(JSON.stringify(card))).toEqual(card);
    expect(card).toEqual(read(workbookOf(rows)));
  });

  test('has the countries of its groups, without those with a row of their own; n/a is no price', () => {
    const { markets = [] } = read(workbookOf(rows));
    const named = new Map(markets.map((each) => [each.market, each]));
    expect(named.get('Germany')).toMatchObject({ countries: ['DE'], authentication_international: null });
    expect(named.get('North America')?.countries).toEqual(['CA', 'US']);
    expect(named.get('Rest of Africa')?.countries).toContain('KE');
    expect(named.get('Rest of Africa')?.countries).not.toContain('MA');
    expect(named.get('Morocco')?.countries).toEqual(['MA']);
    expect(named.get('Other')?.countries).toEqual([]);
    expect(cardProblem(markets)).toBeUndefined();
  });

  test('whatever its prices, an XLSX file and the same rows as CSV are the same card', () => {
    const price = fc.oneof(
      fc.integer({ min: 0, max: 30_000_000 }).map((ten) => ten / 10_000),
      fc.constant('n/a'),
    );
    const drawn = fc.array(fc.tuple(price, price, price, price, price), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(drawn, fc.boolean(), fc.boolean(), fc.boolean(), (prices, isInline, isStored, isLong) => {
        const table = [header, ...rows.slice(3, 10).map(([market, currency], nth) => [market, currency, ...(prices[nth] ?? [])])];
        const cells = readWorkbook(workbookOf(table, { isInline, isStored, isLong }));
        const ofTexts = table.map((row) => row.map((cell) => String(cell ?? '')));
        expect(marketsOfRows(cells, { currency: 'EUR' })).toEqual(marketsOfRows(ofTexts, { currency: 'EUR' }));
      }),
      { numRuns: 40 },
    );
  });

  const withRow = (...row: (string | number)[]) => [...rows.slice(0, 4), row];
  test.each([
    ['an unknown column', [[...header, 'Marketing lite'], ...rows.slice(3)], /The column "Marketing lite" is not known/],
    ['a column twice', [[...header, 'Utility'], ...rows.slice(3)], /"Utility" is there twice/],
    ['no column of a price', [header.filter((name) => name !== 'Utility'), ...rows.slice(3)], /no column utility/],
    ['no header', rows.slice(3), /no line with the column market/],
    ['prices of another currency', withRow('India', 'INR', 0.8, 0.1, 0.1, 'n/a', 0.1), /Line 5: the prices are in INR, not in EUR/],
    ['prices of another currency by its sign', withRow('India', '₹', 0.8, 0.1, 0.1, 'n/a', 0.1), /in INR, not in EUR/],
    ['a market that is not known', withRow('Atlantis', 'EUR', 0.8, 0.1, 0.1, 'n/a', 0.1), /"Atlantis" is no country/],
    ['a market without a price', withRow('India'), /India has no price/],
    ['a price that is a word', withRow('India', 'EUR', 'free', 0.1, 0.1, 'n/a', 0.1), /"free" is no price/],
    ['a price that is negative', withRow('India', 'EUR', -0.1, 0.1, 0.1, 'n/a', 0.1), /is no price/],
    ['a price with seven decimals', withRow('India', 'EUR', 0.1234567, 0.1, 0.1, 'n/a', 0.1), /more than six decimals/],
  ])('with %s is refused', (_what, table, sentence) => {
    expect(() => read(workbookOf(table))).toThrow(sentence);
    expect(() => read(csvOf(table))).toThrow(sentence);
  });

  test('needs its currency and its first day', () => {
    expect(() => readCard({ file: fileOf(csvOf(rows)), from: '2026-10-01' })).toThrow(/give --currency and --from/);
    const card = read(csvOf(rows));
    expect(() => readCard({ file: fileOf(JSON.stringify(card)), currency: 'USD' })).toThrow(/is a card in EUR from 2026-10-01/);
  });

  test('may have markets whose countries the operator names', () => {
    const table = withRow('Rest of Europe', 'EUR', 0.8, 0.1, 0.1, 'n/a', 0.1);
    expect(() => read(workbookOf(table))).toThrow(/--markets/);
    const markets = fileOf(JSON.stringify({ 'Rest of Europe': ['LI', 'MC'] }));
    expect(read(workbookOf(table), { markets }).markets?.at(-1)).toMatchObject({ market: 'Rest of Europe', countries: ['LI', 'MC'] });
  });

  test.each([
    ['nothing', ''],
    ['a ZIP file that is cut off', workbookOf(rows).subarray(0, 300)],
    [
      'another ZIP file',
      Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), Buffer.alloc(40), Buffer.from('PK\u0005\u0006', 'latin1'), Buffer.alloc(18)]),
    ],
    ['JSON of something else', '{"a":1}'],
  ])('%s is none', (_what, content) => {
    expect(() => read(content)).toThrow();
  });
});

describe('the tiers of a card', () => {
  const tiers = [
    ['Market', 'Category', 'From', 'To', 'Rate'],
    ['Germany', 'Utility', 0, '50,000', 0.0456],
    ['Germany', 'Utility', '50,001', 'MAX', 0.0433],
    ['India', 'Authentication', 1, 750_000, 0.0012],
    ['India', 'Authentication', 750_001, '', 0.0011],
  ];

  test('are those of its markets and categories', () => {
    const { markets = [] } = read(workbookOf(rows), { tiers: fileOf(workbookOf(tiers)) });
    expect(markets.find(({ market }) => market === 'Germany')).toMatchObject({
      marketing: '0.1131',
      utility: [
        { from: 0, price: '0.0456' },
        { from: 50_001, price: '0.0433' },
      ],
    });
    expect(markets.find(({ market }) => market === 'India')?.authentication).toEqual([
      { from: 0, price: '0.0012' },
      { from: 750_001, price: '0.0011' },
    ]);
  });

  test.each([
    ['a market that the card does not have', ['France', 'Utility', 0, 'MAX', 0.1], /no market France/],
    ['a category that has no price', ['Germany', 'Video', 0, 'MAX', 0.1], /"Video" is no category/],
    ['another first price', ['Germany', 'Service', 0, 'MAX', 0.1], /has the price 0.1, and the card has 0.0456/],
    ['no first tier', ['Germany', 'Service', 5, 'MAX', 0.0456], /do not begin at 0/],
    ['a gap', ['India', 'Authentication', 900_000, 'MAX', 0.001], /gap before/],
  ])('with %s are refused', (_what, row, sentence) => {
    const table = sentence.source.startsWith('gap') ? [...tiers.slice(0, 4), row] : [tiers[0] ?? [], row];
    expect(() => read(workbookOf(rows), { tiers: fileOf(workbookOf(table)) })).toThrow(sentence);
  });
});

describe('against the card before it', () => {
  const before = read(workbookOf(rows)).markets ?? [];
  const withPrice = (price: string) => before.map((each) => (each.market === 'India' ? { ...each, marketing: price } : each));

  test.each([
    ['0.0495', []],
    ['0.00198', []],
    ['0.0496', ['The price of India, marketing, moves from 0.0099 to 0.0496.']],
    ['0.0019', ['The price of India, marketing, moves from 0.0099 to 0.0019.']],
    ['0', ['The price of India, marketing, moves from 0.0099 to 0.']],
  ])('a price of 0.0099 that becomes %s leads to the doubts %j', (price, doubts) => {
    expect(importDoubts(before, withPrice(price))).toEqual(doubts);
  });

  test('a market that is gone is a doubt, and a new one is none', () => {
    const more = [...before.filter(({ market }) => market !== 'Morocco'), marketOf('France', ['FR'], '0.07')];
    expect(importDoubts(before, more)).toEqual(['The market Morocco is gone.']);
    expect(importDoubts([], before)).toEqual([]);
  });

  test('the changes of prices are named by market and category', () => {
    const [was, is] = [before, withPrice('0.012')].map((markets) => [
      sourceOfCard({ card: 'a', owner: 'operator', currency: 'EUR' }, markets),
    ]);
    expect(changedPrices(before, was ?? [], is ?? [])).toEqual([
      { market: 'India', category: 'marketing', before: '0.0099', after: '0.012' },
    ]);
    expect(changedPrices(before, was ?? [], was ?? [])).toEqual([]);
    const added = changedPrices(before, [], was ?? []).find(({ market }) => market === 'Other');
    expect(added).toEqual({ market: 'Other', category: 'marketing', before: null, after: '0.05' });
  });
});

describe('the cards of the operator', () => {
  const card = (currency: string, effectiveFrom: string) => ({ id: `${effectiveFrom}-${currency}-1`, currency, effectiveFrom });

  test.each([
    ['none', [], [['doubtful', /No rate card was imported/]]],
    ['one of 100 days', [card('EUR', '2026-08-21')], [['ok', /in force/]]],
    ['one of 101 days', [card('EUR', '2026-08-20')], [['doubtful', /101 days old/]]],
    ['an old one with a newer one', [card('EUR', '2026-01-01'), card('EUR', '2026-10-01')], [['ok', /2026-10-01-EUR-1/]]],
    ['one that is coming alone', [card('EUR', '2027-01-01')], [['doubtful', /is coming/]]],
    [
      'two currencies',
      [card('EUR', '2026-10-01'), card('USD', '2026-01-01')],
      [
        ['ok', /EUR/],
        ['doubtful', /USD-1 is 332 days old/],
      ],
    ],
  ] as const)('%s', (_what, cards, findings) => {
    const found = rateFindings(cards, '2026-11-29');
    expect(found.map(({ level }) => level)).toEqual(findings.map(([level]) => level));
    for (const [nth, [, sentence]] of findings.entries()) expect(found[nth]?.message).toMatch(sentence);
  });

  test('of the simulator are cards, of the quarter of the day', () => {
    const cards = simulatorCards(Date.UTC(2026, 10, 29));
    expect(cards.map(({ currency, effective_from }) => [currency, effective_from])).toEqual([
      ['EUR', '2026-10-01'],
      ['USD', '2026-10-01'],
    ]);
    for (const each of cards) {
      expect(cardProblem(each.markets ?? [])).toBeUndefined();
      expect(readCard({ file: fileOf(JSON.stringify(each)) })).toEqual(each);
    }
  });
});
