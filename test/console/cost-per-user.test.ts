import { describe, expect, test } from 'vitest';
import { costPerUser, countryRows } from '../../console/screens/verification/cost-by-country.ts';

/** What a verified user costs, as the page of verification divides it. */

const eur = (amount: string) => ({ amount, currency: 'EUR' });
const codes = (messages: number, amounts: { amount: string; currency: string }[], unknown = 0) => ({
  amounts,
  messages,
  charged: messages - unknown,
  free: 0,
  unknown,
});
const line = (country: string | null, verified: number, requested = verified, channel: 'whatsapp' | 'email' = 'whatsapp') => ({
  date: '2026-11-29',
  profile_id: null,
  channel,
  country,
  requested,
  verified,
  reason: null,
  failed: 0,
  expired: requested - verified,
  blocked: 0,
});
const spendOf = (rows: [key: string | null, figures: ReturnType<typeof codes>][], totals: ReturnType<typeof codes>) => ({
  from: '2026-11-01',
  to: '2026-11-30',
  timezone: 'UTC' as const,
  closed_until: '2026-09-30',
  by: 'country' as const,
  totals,
  rows: rows.map(([key, figures]) => ({ key, ...figures, categories: [] })),
  without_price: [],
  cards: [],
});

describe('the cost per verified user', () => {
  test.each([
    [
      'is all codes, also those that led to no proof, by the users, to the nearest millionth',
      codes(4, [eur('0.1824')]),
      3,
      { amounts: [eur('0.0608')] },
    ],
    ['is rounded half up', codes(1, [eur('0.000001')]), 2, { amounts: [eur('0.000001')] }],
    ['is 0 where codes cost 0', codes(2, [eur('0')]), 2, { amounts: [eur('0')] }],
    ['is nothing, and not endless, where no user was verified', codes(4, [eur('0.1824')]), 0, 'none'],
    ['is nothing where no code was sent: users proved themselves by a message of their own', codes(0, []), 2, 'none'],
    ['is unknown, and not too little, where one code of several has no known price', codes(4, [eur('0.1368')], 1), 3, 'unknown'],
    ['is unknown, and not 0, where no code has a known price', codes(4, [], 4), 3, 'unknown'],
    ['nothing is divided before unknown is said: without a verified user both are nothing', codes(4, [], 4), 0, 'none'],
    [
      'is in two currencies that are not added where codes cost two',
      codes(4, [eur('0.1'), { amount: '3', currency: 'INR' }]),
      4,
      { amounts: [eur('0.025'), { amount: '0.75', currency: 'INR' }] },
    ],
  ])('%s', (_, figures, verified, cost) => {
    expect(costPerUser(figures, verified)).toEqual(cost);
  });
});

describe('the table by country', () => {
  test('has the users and codes of WhatsApp of each country, most verified users first, and no email', () => {
    const lines = [line('FR', 1, 2), line('DE', 2), line('DE', 2, 4), line(null, 9, 9, 'email')];
    const spend = spendOf(
      [
        ['FR', codes(3, [eur('0.21')])],
        ['DE', codes(8, [eur('0.4')])],
      ],
      codes(11, [eur('0.61')]),
    );
    const { rows, total, uncounted } = countryRows(lines, spend);
    expect(rows).toMatchObject([
      { country: 'DE', requested: 6, verified: 4, codes: 8, perUser: { amounts: [eur('0.1')] } },
      { country: 'FR', requested: 2, verified: 1, codes: 3, perUser: { amounts: [eur('0.21')] } },
    ]);
    expect(total).toMatchObject({ country: null, requested: 8, verified: 5, codes: 11, perUser: { amounts: [eur('0.122')] } });
    expect(uncounted).toBe(0);
  });

  test('names no cost of a country where users are not counted by country, and of all together still', () => {
    const spend = spendOf([['DE', codes(8, [eur('0.4')])]], codes(8, [eur('0.4')]));
    const { rows, total, uncounted } = countryRows([line('DE', 2), line(null, 6)], spend);
    expect(rows).toMatchObject([{ country: 'DE', verified: 2, perUser: 'uncounted' }]);
    expect(total.perUser).toEqual({ amounts: [eur('0.05')] });
    expect(uncounted).toBe(6);
  });

  test('finds the codes to phones of no known country, which the spend names otherwise, and countries without a verified user', () => {
    const spend = spendOf(
      [
        ['NG', codes(5, [eur('0.5')])],
        [null, codes(1, [], 1)],
      ],
      codes(6, [eur('0.5')], 1),
    );
    const { rows, total } = countryRows([line('ZZ', 1), line('NG', 0, 5)], spend);
    expect(rows).toMatchObject([
      { country: 'ZZ', codes: 1, perUser: 'unknown' },
      { country: 'NG', codes: 5, verified: 0, perUser: 'none' },
    ]);
    expect(total.perUser).toBe('unknown');
  });
});
