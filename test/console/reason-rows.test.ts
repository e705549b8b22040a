import { describe, expect, test } from 'vitest';
import { reasonRows } from '../../console/screens/verification/reason-rows.ts';

type Line = Parameters<typeof reasonRows>[0][number];
const line = (given: Partial<Line>): Line => ({
  date: '2026-12-01',
  profile_id: null,
  channel: 'whatsapp',
  country: null,
  reason: null,
  requested: 0,
  verified: 0,
  failed: 0,
  expired: 0,
  blocked: 0,
  ...given,
});

describe('why requests failed or were blocked', () => {
  test('adds up over days and profiles, keeps channels apart, and has the most frequent reason first', () => {
    expect(
      reasonRows([
        line({ reason: 'delivery_failed', requested: 2, failed: 2 }),
        line({ date: '2026-12-02', reason: 'delivery_failed', requested: 1, failed: 1 }),
        line({ channel: 'email', reason: 'delivery_failed', requested: 1, failed: 1 }),
        line({ reason: 'country_not_allowed', requested: 5, blocked: 5 }),
      ]),
    ).toEqual([
      { reason: 'country_not_allowed', channel: 'whatsapp', status: 'blocked', count: 5 },
      { reason: 'delivery_failed', channel: 'whatsapp', status: 'failed', count: 3 },
      { reason: 'delivery_failed', channel: 'email', status: 'failed', count: 1 },
    ]);
  });

  test('leaves out what was verified or expired, and keeps what ended before reasons were counted, by its outcome', () => {
    expect(
      reasonRows([line({ requested: 9, verified: 6, expired: 3 }), line({ date: '2026-11-01', requested: 3, failed: 1, blocked: 2 })]),
    ).toEqual([
      { reason: null, channel: 'whatsapp', status: 'blocked', count: 2 },
      { reason: null, channel: 'whatsapp', status: 'failed', count: 1 },
    ]);
  });
});
