/**
 * `GET /{WABA_ID}/reachestimate?targeting_spec=..&date_interval=..`: how many of 1,000 people in a country get a marketing message at several max prices. The
 * figures follow from the list price alone, so that they are the same each time.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/marketing-messages/pricing
 */
import * as z from 'zod';
import type { Answer } from './answer.ts';
import type { Billing } from './billing.ts';
import { refuseParameter } from './errors.ts';

const intervals = ['L1D', 'L7D', 'L14D', 'L28D'];
const targetingSpec = z.looseObject({ geo_locations: z.looseObject({ countries: z.array(z.string().regex(/^[A-Z]{2}$/)).min(1) }) });

/** Parts of the list price, and how many of 1,000 get the message at each. */
const steps = [
  [0.5, 400, 480],
  [0.75, 550, 630],
  [1, 700, 780],
  [1.5, 800, 880],
  [2, 850, 930],
] as const;
/** The average charge is so much of the max price. */
const [leastShare, mostShare] = [0.8, 0.9];

export const createReach =
  (billing: Billing) =>
  (query: URLSearchParams): Answer => {
    const { currency, is_agreement_signed: isSigned } = billing.settings();
    if (!isSigned) return refuseParameter('You need to sign the testing legal agreement before sending out messages.');
    const targeting = targetingSpec.safeParse(parsed(query.get('targeting_spec')));
    if (!targeting.success) return refuseParameter('Param targeting_spec must have geo_locations with a countries array.');
    if (!intervals.includes(query.get('date_interval') ?? ''))
      return refuseParameter(`Param date_interval must be one of {${intervals.join(', ')}}`);
    const [country = ''] = targeting.data.geo_locations.countries;
    const listed = billing.listedBid(country);
    const estimates = listed === undefined ? [] : steps.map(([part, from, to]) => estimateAt(Math.round(listed * part), from, to));
    return { status: 200, body: { waba_currency: currency, estimates } };
  };
export type Reach = ReturnType<typeof createReach>;

const estimateAt = (bid: number, from: number, to: number) => ({
  bid_amount: bid,
  users: 1_000,
  deliveries_lower_bound: from,
  deliveries_upper_bound: to,
  cost_lower_bound: bid * leastShare,
  cost_upper_bound: bid * mostShare,
});

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
