import type { Cells } from '../../../shared/events/recount.ts';
import { dayMs, isoTime } from '../../../shared/runtime/clock.ts';
import { chargeOf } from '../../messaging/contract/charge.ts';
import { freedOf } from '../../messaging/contract/freed.ts';
import type { StoredMessage } from '../../messaging/contract/stored.ts';
import { type ChargeCount, chargeKeys, chargeOfKey } from '../../usage/contract/charges.ts';

/**
 * How the recipients' messages were charged: counts by day, category, type and country, `g1e/mr/DE`. Amounts are computed from them when they
 * are read, by the prices of each day. The day is in base 36, since the row is paid for by its size. Beside them `b/<limit>`: what goes back to the
 * ceiling of the campaign, micro-units.
 */
export const chargeOfRecipient = (message: StoredMessage): Cells => ({ ...chargeByDay(message), ...freedByRecipient(message) });

const freedKey = (limit: number): string => `b/${limit}`;

function freedByRecipient(message: StoredMessage): Cells {
  const cells: Record<string, number> = {};
  for (const { campaign, micros } of freedOf(message)) {
    if (!campaign || micros.campaign === 0) continue;
    const key = freedKey(campaign.limit);
    cells[key] = (cells[key] ?? 0) + micros.campaign;
  }
  return cells;
}

/** What messages that a ceiling of the campaign paid for were proven not to cost. `limit`: which of those that it has had. */
export const freedOfLimit = (cost: Cells | undefined, limit: number): number => cost?.[freedKey(limit)] ?? 0;

const chargeByDay = (message: StoredMessage): Cells => {
  const charge = chargeOf(message);
  if (!charge) return {};
  const day = Math.floor((message.claimedAt ?? message.createdAt) / dayMs).toString(36);
  return Object.fromEntries(Object.entries(chargeKeys(charge)).map(([key, count]) => [`${day}/${key}`, count]));
};

/** The counts of a campaign, by UTC day. */
export const chargesByDay = (cost: Cells): Map<string, ChargeCount[]> => {
  const days = new Map<string, ChargeCount[]>();
  for (const [key, count] of Object.entries(cost).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const [day = '', ...rest] = key.split('/');
    const charge = chargeOfKey(rest.join('/'), count);
    if (!charge) continue;
    const date = isoTime(Number.parseInt(day, 36) * dayMs).slice(0, 10);
    days.set(date, [...(days.get(date) ?? []), charge]);
  }
  return days;
};
