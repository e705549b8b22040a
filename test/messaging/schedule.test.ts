import { describe, expect, test } from 'vitest';
import { parseInstant, parseSchedule } from '../../shared/runtime/schedule.ts';

describe('a time and its zone', () => {
  test.each([
    ['2026-12-24T18:00:00+01:00', 'UTC', '2026-12-24T17:00:00Z'],
    ['2026-12-24T18:00:00Z', 'Asia/Tokyo', '2026-12-24T18:00:00Z'],
    ['2026-12-24T18:00:00-0330', 'UTC', '2026-12-24T21:30:00Z'],
    ['2026-12-24T18:00+05', 'UTC', '2026-12-24T13:00:00Z'],
    ['2026-12-24T18:00:00 01:00', 'UTC', '2026-12-24T17:00:00Z'],
    ['2026-12-24 18:00', 'Europe/Berlin', '2026-12-24T17:00:00Z'],
    ['2026-07-01T09:30:15.250', 'America/New_York', '2026-07-01T13:30:15.250Z'],
    ['2026-12-24', 'Asia/Kolkata', '2026-12-23T18:30:00Z'],
    ['2026-06-01T12:00', 'Australia/Lord_Howe', '2026-06-01T01:30:00Z'],
    ['2028-02-29T00:00', 'UTC', '2028-02-29T00:00:00Z'],
    // an hour that is missing: the next instant that exists
    ['2027-03-28T02:30', 'Europe/Berlin', '2027-03-28T01:00:00Z'],
    ['2027-03-14T02:00', 'America/New_York', '2027-03-14T07:00:00Z'],
    ['2026-10-04T02:15', 'Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
    ['2011-12-30T12:00', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
    // an hour that comes twice: the first
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00Z'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00Z'],
  ])('%s in %s is %s', (value, zone, instant) => expect(parseInstant(value, zone)).toBe(Date.parse(instant)));

  test.each([
    '',
    'tomorrow',
    '2026-13-01T00:00',
    '2026-02-30T00:00',
    '2026-12-24T25:00',
    '2026-12-24T18:60',
    '2026-12-24T18:00+99:00',
    '1700000000',
    '2026-W52-4',
    '24.12.2026',
  ])('%j is no time', (value) => expect(parseInstant(value, 'UTC')).toBeUndefined());
});

describe('a schedule', () => {
  const nowMs = Date.parse('2026-11-21T12:00:00Z');
  test.each([
    [undefined, { when: 'now' }],
    ['2026-11-21T11:59:01Z', { when: 'now' }],
    ['2026-11-21T12:00:00Z', { when: 'now' }],
    ['2026-11-21T12:00:01Z', { when: 'later', atMs: nowMs + 1_000 }],
    ['2027-11-21T12:00:00Z', { when: 'later', atMs: nowMs + 365 * 86_400_000 }],
  ])('%s is accepted', (value, schedule) => expect(parseSchedule(value, 'UTC', nowMs)).toEqual(schedule));
  test.each(['2026-11-21T11:58:59Z', '2027-11-21T12:00:01Z', 'soon'])('%s is refused', (value) =>
    expect(parseSchedule(value, 'UTC', nowMs).when).toBe('never'),
  );
});
