import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cardInput, type CardMarket, priceCategories } from '../../functions/spend/contract/card.ts';
import { adjustedSource, cardProblem, type RateSource, sourceOfCard } from '../../functions/spend/domain/card.ts';
import { estimate } from '../../functions/spend/domain/estimate.ts';
import { decimalText, microsOf, shareOf } from '../../functions/spend/domain/money.ts';
import { costOf, isKnown, type KnownPrice, type Price, priceCategoryOf, priceOf } from '../../functions/spend/domain/price.ts';
import { drawnCountries, drawnMarkets, marketOf } from './cards.ts';

const operator = { card: '2026-10-01-EUR-1', owner: 'operator', currency: 'EUR' } as const;
const sourceOf = (markets: readonly CardMarket[]): RateSource => sourceOfCard(operator, markets);
const known = (price: Price): KnownPrice => {
  if (!isKnown(price)) throw new Error(`The price is unknown: ${price.unknown}`);
  return price;
};
const anyCountry = fc.constantFrom(...drawnCountries);
const anyCategory = fc.constantFrom(...priceCategories);
const anyItems = fc.array(
  fc.record({ country: fc.option(anyCountry, { nil: undefined }), recipients: fc.integer({ min: 0, max: 20_000 }) }),
  {
    maxLength: 15,
  },
);

describe('amounts', () => {
  test('are exact: a decimal text and its micro-units are the same', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999_999n }), (micros) => {
        expect(microsOf(decimalText(micros))).toBe(micros);
      }),
    );
    expect([0n, 1n, 312_400_000n, -50_000n].map(decimalText)).toEqual(['0', '0.000001', '312.4', '-0.05']);
  });

  test.each(['', '-1', '1,5', '1.', '.5', '1e3', '0.1234567', ' 1', '1234567890', 'NaN'])('"%s" is none', (text) => {
    expect(microsOf(text)).toBeUndefined();
  });

  test('a share is rounded half up', () => {
    expect([shareOf(1n, 1n, 2n), shareOf(3n, 1n, 2n), shareOf(1n, 1n, 3n), shareOf(113_100n, 105n, 100n)]).toEqual([1n, 2n, 0n, 118_755n]);
  });
});

describe('the price of a message', () => {
  const markets = [
    marketOf('Germany', ['DE'], { marketing: '0.1131', utility: '0.0456', service: '0' }),
    marketOf('Rest of Latin America', ['DO', 'PR'], { marketing: '0.0612' }),
  ];

  test.each([
    ['DE', 'marketing', '0.1131'],
    ['DE', 'UTILITY', '0.0456'],
    ['PR', 'marketing', '0.0612'],
    // a price that the card has as 0 is known
    ['DE', 'service', '0'],
  ])('to %s of category %s is %s', (country, category, text) => {
    expect(decimalText(known(priceOf([sourceOf(markets)], { country, category })).micros)).toBe(text);
  });

  test.each([
    ['DE', 'authentication', 'no_price'],
    ['FR', 'marketing', 'no_market'],
    [undefined, 'marketing', 'no_country'],
    ['DE', 'marketing_lite', 'category'],
    ['DE', 'group_marketing', 'category'],
    ['DE', 'general_purpose_ai', 'category'],
  ])('to %s of category %s is unknown: %s', (country, category, unknown) => {
    expect(priceOf([sourceOf(markets)], { country, category })).toEqual({ unknown });
  });

  test('is unknown without a card, and of the market for all others where there is one', () => {
    expect(priceOf([], { country: 'DE', category: 'marketing' })).toEqual({ unknown: 'no_card' });
    const all = sourceOf([...markets, marketOf('Other', [], '0.05')]);
    expect(known(priceOf([all], { country: 'LI', category: 'marketing' }))).toMatchObject({ micros: 50_000n, market: 'Other' });
  });

  test('is the company’s own, then the operator’s: each country and category has the first that has one', () => {
    const own = sourceOfCard({ ...operator, card: 'own', owner: 'company' }, [marketOf('Germany', ['DE'], { marketing: '0.1' })]);
    const priced = (country: string, category: string) => priceOf([own, sourceOf(markets)], { country, category });
    expect(priced('DE', 'marketing')).toMatchObject({ micros: 100_000n, owner: 'company', card: 'own' });
    expect(priced('DE', 'utility')).toMatchObject({ micros: 45_600n, owner: 'operator', card: operator.card });
    expect(priced('PR', 'marketing')).toMatchObject({ owner: 'operator' });
    // the reason of the source that came furthest
    expect(priced('DE', 'authentication')).toEqual({ unknown: 'no_price' });
  });

  test('is never 0 for a cell that is removed: each one in turn makes its price unknown, and no other', () => {
    fc.assert(
      fc.property(drawnMarkets, anyCategory, fc.nat(), (drawn, category, place) => {
        const removed = drawn.map((each, nth) => (nth === place % drawn.length ? { ...each, [category]: null } : each));
        const market = drawn[place % drawn.length]?.market;
        for (const country of drawnCountries) {
          for (const each of priceCategories) {
            const [before, after] = [drawn, removed].map((all) => priceOf([sourceOf(all)], { country, category: each }));
            const isRemoved = each === category && sourceOf(drawn).marketOf(country) === market;
            if (isRemoved) expect(after).toEqual({ unknown: 'no_price' });
            else expect(after).toEqual(before);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ['authentication-international', 'authentication_international'],
    ['MARKETING', 'marketing'],
    ['service', 'service'],
  ])('the provider’s word %s is the category %s', (word, category) => {
    expect(priceCategoryOf(word)).toBe(category);
  });
});

describe('tiers', () => {
  const steps = known(
    priceOf(
      [
        sourceOf([
          marketOf(
            'Germany',
            ['DE'],
            [
              { from: 0, price: '0.05' },
              { from: 101, price: '0.04' },
              { from: 201, price: '0.03' },
            ],
          ),
        ]),
      ],
      { country: 'DE', category: 'utility' },
    ),
  ).steps;

  test('are marginal: message 100 has the first price, message 101 the second', () => {
    expect([costOf(steps, 0, 100), costOf(steps, 100, 1), costOf(steps, 0, 101), costOf(steps, 50, 200)]).toEqual([
      5_000_000n,
      40_000n,
      5_040_000n,
      50n * 50_000n + 100n * 40_000n + 50n * 30_000n,
    ]);
  });

  test('the cost of a batch is that of its messages one by one, and of its parts', () => {
    fc.assert(
      fc.property(
        drawnMarkets,
        anyCountry,
        anyCategory,
        fc.nat(6_000),
        fc.nat(300),
        fc.nat(300),
        (drawn, country, category, sent, a, b) => {
          const sources = [sourceOf(drawn)];
          const price = priceOf(sources, { country, category });
          fc.pre(isKnown(price));
          const one = Array.from({ length: a }, (_, nth) => known(priceOf(sources, { country, category, sent: sent + nth })).micros);
          expect(costOf(price.steps, sent, a)).toBe(one.reduce((sum, each) => sum + each, 0n));
          expect(costOf(price.steps, sent, a + b)).toBe(costOf(price.steps, sent, a) + costOf(price.steps, sent + a, b));
        },
      ),
    );
  });
});

describe('an estimate', () => {
  test('is the sum of its countries to the micro-unit, and counts every recipient once', () => {
    fc.assert(
      fc.property(drawnMarkets, anyCategory, anyItems, fc.option(fc.nat(6_000), { nil: undefined }), (drawn, category, items, sent) => {
        const sources = [sourceOf(drawn)];
        const result = estimate(items, {
          priceOf: (country) => priceOf(sources, { country, category, sent }),
          sentIn: () => sent,
        });
        const rows = result.countries.flatMap(({ amount }) => (amount === undefined ? [] : [amount]));
        expect(result.amount).toBe(rows.length === 0 ? undefined : rows.reduce((sum, each) => sum + each, 0n));
        expect(result.known + result.unknown).toBe(items.reduce((sum, { recipients }) => sum + recipients, 0));
        expect(result.unknown).toBe(
          items.reduce((sum, { country, recipients }) => sum + (isKnown(priceOf(sources, { country, category })) ? 0 : recipients), 0),
        );
        for (const row of result.countries)
          expect([row.amount === undefined, row.price === undefined]).toEqual(Array(2).fill(row.reason !== undefined));
      }),
    );
  });

  test('at list prices is what each message costs times how many', () => {
    fc.assert(
      fc.property(drawnMarkets, anyCategory, anyItems, (drawn, category, items) => {
        const sources = [sourceOf(drawn)];
        const result = estimate(items, { priceOf: (country) => priceOf(sources, { country, category }) });
        const total = items.reduce((sum, { country, recipients }) => {
          const price = priceOf(sources, { country, category });
          return isKnown(price) ? sum + price.micros * BigInt(recipients) : sum;
        }, 0n);
        expect(result.amount ?? 0n).toBe(total);
        expect(result.atMost ?? 0n).toBe(total);
      }),
    );
  });

  test('has countries of one market share its tiers', () => {
    const market = marketOf(
      'Two',
      ['DE', 'FR'],
      [
        { from: 0, price: '1' },
        { from: 11, price: '0.5' },
      ],
    );
    const items = [
      { country: 'DE', recipients: 8 },
      { country: 'FR', recipients: 8 },
    ];
    const result = estimate(items, {
      priceOf: (country) => priceOf([sourceOf([market])], { country, category: 'utility' }),
      sentIn: () => 0,
    });
    expect([result.amount, result.atMost].map((each) => decimalText(each ?? 0n))).toEqual(['13', '16']);
  });

  test('of messages that may be free is 0 at least, and their price at most; what is unknown stays unknown', () => {
    const sources = [sourceOf([marketOf('Germany', ['DE'], '0.0456')])];
    const items = [
      { country: 'DE', recipients: 10 },
      { country: 'LI', recipients: 3 },
    ];
    const result = estimate(items, { priceOf: (country) => priceOf(sources, { country, category: 'service' }), isFree: true });
    expect(result).toMatchObject({ amount: 0n, atMost: 456_000n, known: 10, unknown: 3 });
    const none = estimate([{ country: 'LI', recipients: 3 }], {
      priceOf: (country) => priceOf(sources, { country, category: 'service' }),
      isFree: true,
    });
    expect(none).toMatchObject({ amount: undefined, atMost: undefined, unknown: 3 });
  });
});

describe('an adjustment', () => {
  const base = sourceOf([
    marketOf('Germany', ['DE'], {
      marketing: '0.1131',
      utility: [
        { from: 0, price: '0.05' },
        { from: 11, price: '0.04' },
      ],
    }),
  ]);

  test.each([
    [{ percent: '5' }, '0.118755'],
    [{ percent: '-10' }, '0.10179'],
    [{ fixed: { marketing: '0.002' } }, '0.1151'],
    [{ percent: '5', fixed: { marketing: '0.002' } }, '0.120755'],
    [{ from_currency: 'USD', factor: '0.93' }, '0.105183'],
    [{ factor: '0.93', percent: '5', fixed: { utility: '1' } }, '0.110442'],
    [{}, '0.1131'],
  ])('%j makes 0.1131 of a message %s', (adjustment, text) => {
    const source = adjustedSource({ card: 'own', owner: 'company', currency: 'EUR' }, adjustment, base);
    const price = known(priceOf([source], { country: 'DE', category: 'marketing' }));
    expect([decimalText(price.micros), price.owner, price.card]).toEqual([text, 'company', 'own']);
  });

  test('changes each tier, and makes no price of an unknown one', () => {
    const source = adjustedSource({ card: 'own', owner: 'company', currency: 'EUR' }, { percent: '10', fixed: { service: '1' } }, base);
    expect(known(priceOf([source], { country: 'DE', category: 'utility' })).steps).toEqual([
      { from: 0, micros: 55_000n },
      { from: 11, micros: 44_000n },
    ]);
    expect(priceOf([source], { country: 'DE', category: 'service' })).toEqual({ unknown: 'no_price' });
  });
});

describe('a card', () => {
  test.each([
    [[marketOf('A', ['DE'], '1'), marketOf('A', ['FR'], '1')], /A is in the card twice/],
    [[marketOf('A', ['DE'], '1'), marketOf('B', ['FR', 'DE'], '1')], /DE is in two markets/],
    [[marketOf('A', [], '1'), marketOf('B', [], '1')], /Only one market may have no countries/],
    [[marketOf('A', ['DE'], [{ from: 1, price: '1' }])], /must be from 0/],
    [
      [
        marketOf(
          'A',
          ['DE'],
          [
            { from: 0, price: '1' },
            { from: 9, price: '1' },
            { from: 9, price: '2' },
          ],
        ),
      ],
      /ascending/,
    ],
  ])('with a contradiction is refused (%#)', (markets, sentence) => {
    expect(cardProblem(markets)).toMatch(sentence);
  });

  test('that is drawn is accepted as it is, by the schema too', () => {
    fc.assert(
      fc.property(drawnMarkets, (markets) => {
        expect(cardProblem(markets)).toBeUndefined();
        expect(cardInput.parse({ currency: 'EUR', effective_from: '2026-10-01', markets }).markets).toEqual(markets);
      }),
    );
  });
});
