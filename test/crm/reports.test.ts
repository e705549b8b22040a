import { afterAll, describe, expect, test } from 'vitest';
import { comparisonRange, intakeOf, quantile, resolveRange, parseEdge } from '../../functions/crm/domain/report.ts';
import type { LeadFacts } from '../../functions/crm/domain/lead-page.ts';
import { encodeFacts, decodeFacts } from '../../functions/crm/domain/lead-page.ts';
import { dateText, startOfDay, weekText, yearBefore } from '../../functions/crm/domain/zone.ts';
import { instantAt, wallOf } from '../../shared/runtime/zone.ts';
import { leadOf, newKey, refusalOf, reportOf, startFixture } from './fixture.ts';

const day = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();

describe('days of a zone', () => {
  test.each([
    // spring: 23 hours; autumn: 25 hours
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', 23],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', 25],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z', 23],
    // half an hour of change
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00.000Z', 24.5],
    // the clock jumps over midnight: the day begins at one
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z', 23],
    ['Asia/Kathmandu', '2026-05-05', '2026-05-04T18:15:00.000Z', 24],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z', 24],
    ['UTC', '2026-02-28', '2026-02-28T00:00:00.000Z', 24],
  ])('in %s the %s begins at %s and has %d hours', (zone, date, begins, hours) => {
    const start = startOfDay(zone, day(date));
    expect(iso(start)).toBe(begins);
    expect((startOfDay(zone, day(date) + 1) - start) / 3_600_000).toBe(hours);
  });

  test('a time of the clock that does not exist is the end of the gap, one that comes twice the first', () => {
    expect(iso(instantAt('Europe/Berlin', Date.parse('2026-03-29T02:30:00Z')))).toBe('2026-03-29T01:00:00.000Z');
    expect(iso(instantAt('Europe/Berlin', Date.parse('2026-10-25T02:30:00Z')))).toBe('2026-10-25T00:30:00.000Z');
  });

  test('every hour of two years in five zones is on the day that its clock shows', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'Asia/Kolkata'])
      for (let at = Date.parse('2026-01-01T00:00:00Z'); at < Date.parse('2028-01-01T00:00:00Z'); at += 7 * 3_600_000) {
        const shown = Math.floor(wallOf(zone, at) / 86_400_000);
        expect(startOfDay(zone, shown)).toBeLessThanOrEqual(at);
        expect(startOfDay(zone, shown + 1)).toBeGreaterThan(at);
      }
  });

  test.each([
    ['2026-01-01', '2026-W01'],
    ['2027-01-01', '2026-W53'],
    ['2024-12-30', '2025-W01'],
    ['2026-12-31', '2026-W53'],
    ['2028-01-02', '2027-W52'],
  ])('%s is in %s', (date, week) => expect(weekText(day(date))).toBe(week));

  test('a year before the 29th of February is the 28th', () => {
    expect(dateText(yearBefore(day('2028-02-29')))).toBe('2027-02-28');
    expect(dateText(yearBefore(day('2028-03-01')))).toBe('2027-03-01');
  });
});

describe('ranges', () => {
  const zone = 'Europe/Berlin';
  const range = (from: string | undefined, to: string | undefined, now = Date.parse('2026-11-21T12:00:00Z')) =>
    resolveRange(zone, from === undefined ? undefined : parseEdge(zone, from), to === undefined ? undefined : parseEdge(zone, to), now);
  const shown = (given: ReturnType<typeof range>) => (typeof given === 'string' ? given : [iso(given.from), iso(given.to)]);

  test('are the last 30 days unless told, today included', () => {
    expect(shown(range(undefined, undefined))).toEqual(['2026-10-22T22:00:00.000Z', '2026-11-21T23:00:00.000Z']);
  });

  test('count days on the clock: 366 days over two changes are not too long, 367 are', () => {
    expect(shown(range('2026-01-01', '2027-01-01'))).toEqual(['2025-12-31T23:00:00.000Z', '2027-01-01T23:00:00.000Z']);
    expect(range('2026-01-01', '2027-01-02')).toBe('too long');
    expect(range('2026-05-02', '2026-05-01')).toBe('reversed');
    expect(shown(range('2026-05-02', '2026-05-02'))).toEqual(['2026-05-01T22:00:00.000Z', '2026-05-02T22:00:00.000Z']);
  });

  test('take times with an offset, and without one on the clock of the zone', () => {
    expect(shown(range('2026-03-29T02:30:00', '2026-03-29T05:00:00-02:00'))).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-29T07:00:00.000Z',
    ]);
  });

  test('compare with as many days right before, or with the same dates a year before', () => {
    const week = range('2026-03-28', '2026-03-30');
    if (typeof week === 'string') throw new Error(week);
    expect(shown(comparisonRange(zone, week, 'previous_period'))).toEqual(['2026-03-24T23:00:00.000Z', '2026-03-27T23:00:00.000Z']);
    expect(shown(comparisonRange(zone, week, 'previous_year'))).toEqual(['2025-03-27T23:00:00.000Z', '2025-03-30T22:00:00.000Z']);
  });

  test('a lead of the doubled hour counts once, on its day', () => {
    const october = range('2026-10-24', '2026-10-26');
    if (typeof october === 'string') throw new Error(october);
    const at = (time: string): LeadFacts => ({ ...blank, createdAt: Date.parse(time) / 1_000 });
    const facts = [
      at('2026-10-24T21:59:59Z'),
      at('2026-10-24T22:00:00Z'),
      at('2026-10-25T00:30:00Z'),
      at('2026-10-25T01:30:00Z'),
      at('2026-10-25T23:00:00Z'),
    ];
    expect(intakeOf(zone, facts, october).map(({ date, count }) => [date, count])).toEqual([
      ['2026-10-24', 1],
      ['2026-10-25', 3],
      ['2026-10-26', 1],
    ]);
  });
});

const blank: LeadFacts = {
  id: 1,
  createdAt: 0,
  closedAt: undefined,
  outcome: 'open',
  valueCents: 0,
  pipelineId: 1,
  ownerId: 0,
  source: 'api',
  stageHistory: [[1, 0]],
};

test('facts read back what was packed', () => {
  const facts: LeadFacts = {
    ...blank,
    createdAt: 1_780_000_000,
    closedAt: 1_790_000_000,
    outcome: 'won',
    valueCents: 123_456_789,
    ownerId: 7,
    source: 'whatsapp',
    stageHistory: [
      [3, 1_780_000_000],
      [4, 1_780_000_000],
      [9, 1_790_000_000],
    ],
  };
  expect(decodeFacts(1, encodeFacts(facts))).toEqual(facts);
});

test.each([
  [[], 0.5, null],
  [[5], 0.9, 5],
  [[1, 2, 3, 4], 0.5, 2.5],
  [[3, 1, 2], 0.5, 2],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9, 9],
])('of %j the share %d is %s', (values, share, expected) => expect(quantile(values, share)).toBe(expected));

describe('the report', () => {
  const testApp = startFixture();
  afterAll(async () => (await testApp).stop());

  test('is right to the last row on known data, before and after the change stream, and pages through its cohorts', {
    timeout: 180_000,
  }, async () => {
    const { testApp: it, company } = await testApp;
    const crm = await company({ input: { timezone: 'Europe/Berlin' } });
    const pipeline = await crm.pipeline('simple');
    const [first, won, lost] = pipeline.stages.map(({ id }) => id);
    const contact = await crm.contact();
    const rows: { at: number; value: number; outcome: 'open' | 'won' | 'lost'; stayed: number }[] = [];
    const begin = it.clock.now();
    for (let n = 0; n < 45; n++) {
      // in life the change stream runs within a second
      await it.drain();
      it.clock.advance(n % 4 === 0 ? 2 * 86_400_000 : 3_600_000 * 5);
      const value = 100 + n * 1.25;
      const lead = leadOf(
        await crm.call('POST', '/leads', {
          contact_id: contact,
          pipeline_id: pipeline.id,
          title: `L${n}`,
          value,
          creation_key: newKey(),
          source: n % 2 ? 'shop' : 'manual',
        }),
      );
      const row = { at: Date.parse(lead.created_at), value, outcome: 'open' as 'open' | 'won' | 'lost', stayed: 0 };
      if (n % 3 !== 0) {
        it.clock.advance(600_000 * (n + 1));
        const isWon = n % 3 === 1;
        const moved = leadOf(
          await crm.call('PUT', `/leads/${lead.id}/stage`, { version: 1, stage_id: isWon ? won : lost, lost_reason: 'Price' }),
        );
        row.outcome = isWon ? 'won' : 'lost';
        row.stayed = Math.floor(Date.parse(moved.closed_at ?? '') / 1_000) - Math.floor(row.at / 1_000);
      }
      rows.push(row);
    }
    const count = (outcome: string) => rows.filter((row) => row.outcome === outcome).length;
    const range = `from=${iso(begin).slice(0, 10)}&to=${iso(it.clock.now() + 86_400_000).slice(0, 10)}&timezone=America/New_York`;
    for (const drained of [false, true]) {
      if (drained) await it.drain();
      const { data, meta } = reportOf(await crm.call('GET', `/reports?${range}&compare=previous_period`));
      expect(data.timezone).toBe('America/New_York');
      expect(data.totals).toEqual({
        created: 45,
        won: count('won'),
        lost: count('lost'),
        open: count('open'),
        won_value: rows.filter(({ outcome }) => outcome === 'won').reduce((sum, { value }) => sum + value, 0),
        conversion_rate: Math.round((count('won') / 45) * 1e6) / 1e6,
      });
      expect(data.comparison).toMatchObject({
        totals: { created: 0, conversion_rate: null },
        delta: { created: 45, conversion_rate: null },
      });
      const perDay = Map.groupBy(rows, ({ at }) => dateText(Math.floor(wallOf('America/New_York', at) / 86_400_000)));
      for (const { date, count: found, value } of data.intake) {
        expect([date, found]).toEqual([date, perDay.get(date)?.length ?? 0]);
        expect(value).toBeCloseTo(
          (perDay.get(date) ?? []).reduce((sum, row) => sum + row.value, 0),
          2,
        );
      }
      expect(data.intake.reduce((sum, each) => sum + each.count, 0)).toBe(45);
      const stayed = rows.filter(({ outcome }) => outcome !== 'open').map((row) => row.stayed);
      expect(
        data.stage_durations.map(({ stage_id, entries, median_seconds, p90_seconds }) => [stage_id, entries, median_seconds, p90_seconds]),
      ).toEqual([
        [first, 45, quantile(stayed, 0.5), quantile(stayed, 0.9)],
        [won, count('won'), null, null],
        [lost, count('lost'), null, null],
      ]);
      // all cohorts, three to a page, by number and by cursor
      const pages = [];
      let cursor: string | null = null;
      for (let page = 1; page <= Math.ceil(meta.total / 3); page++) {
        const numbered = reportOf(await crm.call('GET', `/reports?${range}&per_page=3&page=${page}`));
        const pointed = reportOf(await crm.call('GET', `/reports?${range}&per_page=3${cursor ? `&cursor=${cursor}` : ''}`));
        expect(pointed.data.cohorts).toEqual(numbered.data.cohorts);
        cursor = pointed.meta.next_cursor;
        pages.push(...numbered.data.cohorts);
      }
      expect(cursor).toBeNull();
      const perWeek = Map.groupBy(rows, ({ at }) => weekText(Math.floor(wallOf('America/New_York', at) / 86_400_000)));
      expect(pages).toHaveLength(meta.total);
      expect(pages.reduce((sum, cohort) => sum + cohort.created, 0)).toBe(45);
      for (const cohort of pages) {
        const own = perWeek.get(cohort.period) ?? [];
        expect([cohort.created, cohort.won, cohort.lost]).toEqual([
          own.length,
          own.filter(({ outcome }) => outcome === 'won').length,
          own.filter(({ outcome }) => outcome === 'lost').length,
        ]);
        const days = own.filter(({ outcome }) => outcome !== 'open').map(({ stayed: seconds }) => seconds / 86_400);
        expect(cohort.median_days_to_close).toBe(days.length === 0 ? null : Math.round((quantile(days, 0.5) ?? 0) * 100) / 100);
      }
      expect(reportOf(await crm.call('GET', `/reports?${range}&source=shop`)).data.totals.created).toBe(22);
      expect(reportOf(await crm.call('GET', `/reports?${range}&owner_id=${crm.company.users.member}`)).data.totals.created).toBe(0);
    }
  });

  test('of nothing is empty, not an error', async () => {
    const crm = await (await testApp).company();
    const { data, meta } = reportOf(await crm.call('GET', '/reports'));
    expect(data).toMatchObject({ timezone: 'UTC', totals: { created: 0, conversion_rate: null }, stage_durations: [], comparison: null });
    expect([data.intake.length, meta.total]).toEqual([30, data.cohorts.length]);
  });

  test.each([
    ['from=2026-02-30', 'from'],
    ['from=yesterday', 'from'],
    ['from=2026-02-02&to=2026-02-01', 'to'],
    ['from=2025-01-01&to=2026-06-01', 'to'],
    ['timezone=Mars/Olympus', 'timezone'],
    ['compare=never', 'compare'],
    ['source=radio', 'source'],
    ['pipeline_id=987654', 'pipeline_id'],
  ])('asked for with %s is 422', async (query, field) => {
    const crm = await (await testApp).company();
    expect(refusalOf(await crm.call('GET', `/reports?${query}`))).toEqual([422, 'validation_failed', field]);
  });
});
