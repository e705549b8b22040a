import { expect, test } from 'vitest';
import { campaignsUnderWay } from '../../console/screens/home/campaigns-under-way.ts';

const now = Date.parse('2026-11-30T10:00:00Z');
const campaign = (id: number, status: 'sending' | 'scheduled' | 'paused' | 'completed', send_time: string | null = null) => ({
  id,
  name: `Campaign ${id}`,
  status,
  send_time,
  audience_count: status === 'sending' ? 1_200 : 0,
});

test('those that are sent stand first, then those that begin within a day by their time', () => {
  const all = [
    campaign(1, 'scheduled', '2026-12-01T09:00:00Z'),
    campaign(2, 'sending'),
    campaign(3, 'scheduled', '2026-11-30T11:00:00Z'),
    campaign(4, 'scheduled', '2026-12-01T10:00:00Z'),
  ];
  expect(campaignsUnderWay(all, now).map(({ id, begins, people }) => [id, begins === undefined, people])).toEqual([
    [2, true, 1_200],
    [3, false, 0],
    [1, false, 0],
  ]);
});

test('what is paused or done is not under way, and a scheduled one without a time neither', () => {
  expect(campaignsUnderWay([campaign(1, 'paused'), campaign(2, 'completed'), campaign(3, 'scheduled')], now)).toEqual([]);
});
