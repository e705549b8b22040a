import { microsText } from '../../spend/contract/micros-text.ts';
import type { ReachAtPrice, ReachPoint } from '../contract/reach.ts';
import { microsOfBid } from './bid.ts';

/**
 * What the provider expects at a bid that it does not name itself: no less than at the next lower one, no more than at the next higher one. Undefined
 * beyond the bids that it names: nothing is guessed there.
 */
export const pointAt = (points: readonly ReachPoint[], bid: number): ReachPoint | undefined => {
  const sorted = points.toSorted((a, b) => a.bid - b.bid);
  const below = sorted.findLast((each) => each.bid <= bid);
  const above = sorted.find((each) => each.bid >= bid);
  return (
    below &&
    above && {
      bid,
      deliveriesFrom: below.deliveriesFrom,
      deliveriesTo: above.deliveriesTo,
      costFrom: below.costFrom,
      costTo: above.costTo,
    }
  );
};

export interface ExpectedItem {
  recipients: number;
  users: number;
  /** At the bid of the messages. */
  point: ReachPoint;
}

/** How many of all recipients get a message, and what that costs in micro-units; undefined: the smallest unit of the currency is not certain. */
export const expectedOf = (items: readonly ExpectedItem[], currency: string) => {
  const sum = { recipientsFrom: 0, recipientsTo: 0, microsFrom: 0, microsTo: 0 };
  for (const { recipients, users, point } of items) {
    const [from, to] = [point.costFrom, point.costTo].map((amount) => microsOfBid({ amount, currency }));
    if (from === undefined || to === undefined) return undefined;
    const [least, most] = [(recipients * point.deliveriesFrom) / users, Math.min(recipients, (recipients * point.deliveriesTo) / users)];
    sum.recipientsFrom += Math.floor(least);
    sum.recipientsTo += Math.ceil(most);
    sum.microsFrom += Math.floor(least * from);
    sum.microsTo += Math.ceil(most * to);
  }
  return sum;
};

/** As the API shows it, for one message; undefined: the smallest unit of the currency is not certain. A fraction of a micro-unit widens the range. */
export const atPriceView = (point: ReachPoint, currency: string): ReachAtPrice | undefined => {
  const [price, from, to] = [point.bid, point.costFrom, point.costTo].map((amount) => microsOfBid({ amount, currency }));
  if (price === undefined || from === undefined || to === undefined) return undefined;
  return {
    max_price: microsText(Math.round(price)),
    deliveries_from: Math.floor(point.deliveriesFrom),
    deliveries_to: Math.ceil(point.deliveriesTo),
    price_from: microsText(Math.floor(from)),
    price_to: microsText(Math.ceil(to)),
  };
};
