import type { Cells } from '../../../shared/events/recount.ts';
import { dayMs, isoTime } from '../../../shared/runtime/clock.ts';
import { chargeOf } from '../../messaging/contract/charge.ts';
import type { StoredMessage } from '../../messaging/contract/stored.ts';
import { type ChargeCount, chargeKeys, chargeOfKey } from '../../usage/contract/charges.ts';

/**
 * How the recipients' messages were charged: counts by day, category, type and country, `g1e/mr/DE`. Amounts are computed from them when they
 * are read, by the prices of each day. The day is in base 36, since the row is paid for by its size.
 */
export const chargeOfRecipient = (message: StoredMessage): Cells => {
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
