import { expect, test } from 'vitest';
import { isAnswerable, isWaiting } from '../../console/screens/campaigns/campaign-words.ts';

const waiting = { status: 'scheduled', started_at: null, send_time: '2027-01-05T10:00:00Z', audience_count: 0 } as const;

test('a time can be changed until the recipients are chosen, paused or not', () => {
  expect(isWaiting(waiting)).toBe(true);
  expect(isWaiting({ ...waiting, status: 'paused' })).toBe(true);
});

test('what has begun, is at once, or has its recipients keeps its time', () => {
  expect(isWaiting({ ...waiting, status: 'sending' })).toBe(false);
  expect(isWaiting({ ...waiting, status: 'paused', audience_count: 3 })).toBe(false);
  expect(isWaiting({ ...waiting, status: 'paused', started_at: '2027-01-05T10:00:00Z' })).toBe(false);
  expect(isWaiting({ ...waiting, send_time: null })).toBe(false);
});

test('answers may come while it is sent and for a week afterwards', () => {
  const now = Date.parse('2027-01-12T10:00:00Z');
  expect(isAnswerable({ started_at: null, completed_at: null }, now)).toBe(false);
  expect(isAnswerable({ started_at: '2027-01-01T10:00:00Z', completed_at: null }, now)).toBe(true);
  expect(isAnswerable({ started_at: '2027-01-01T10:00:00Z', completed_at: '2027-01-05T10:00:01Z' }, now)).toBe(true);
  expect(isAnswerable({ started_at: '2027-01-01T10:00:00Z', completed_at: '2027-01-05T09:59:59Z' }, now)).toBe(false);
});
