import * as z from 'zod';
import { callProvider, type ProviderAccess } from '../../../shared/provider/call.ts';
import { maxReachPoints, type StoredReach } from '../contract/reach.ts';

/** What the provider expects in a country at several max prices; `refused`: it answered something else; `unreachable`: it did not answer. */
export type ProviderReach =
  | ({ outcome: 'answered' } & Pick<StoredReach, 'currency' | 'users' | 'points'>)
  | { outcome: 'refused' | 'unreachable' };

/** By the figures of the last seven days. https://developers.facebook.com/documentation/business-messaging/whatsapp/marketing-messages/pricing */
export const getProviderReach = async (account: ProviderAccess & { wabaId: string }, country: string): Promise<ProviderReach> => {
  const query = { targeting_spec: JSON.stringify({ geo_locations: { countries: [country] } }), date_interval: 'L7D' };
  const reply = await callProvider(account, { method: 'GET', path: [account.wabaId, 'reachestimate'], query, timeoutMs });
  if (reply.outcome !== 'answered') return { outcome: 'unreachable' };
  const parsed = reply.status < 300 ? reachReply.safeParse(reply.body).data : undefined;
  if (!parsed) return { outcome: reply.status >= 500 ? 'unreachable' : 'refused' };
  const { waba_currency: currency, estimates } = parsed;
  const [first] = estimates;
  return { outcome: 'answered', currency, users: first?.users ?? reachUsers, points: estimates.map(({ point }) => point) };
};

/** Of so many the estimates are, where none names another number. */
const reachUsers = 1_000;
const deliveries = z.number().nonnegative();
/** The bounds of deliveries had other names before. */
const reachReply = z.looseObject({
  waba_currency: z.string().regex(/^[A-Z]{3}$/),
  estimates: z
    .array(
      z
        .looseObject({
          bid_amount: z.number().positive(),
          users: z.int().positive(),
          deliveries_lower_bound: deliveries.optional(),
          deliveries_upper_bound: deliveries.optional(),
          lower_bound_deliveries: deliveries.optional(),
          upper_bound_deliveries: deliveries.optional(),
          cost_lower_bound: z.number().nonnegative(),
          cost_upper_bound: z.number().nonnegative(),
        })
        .transform(({ users, ...given }) => ({
          users,
          point: {
            bid: given.bid_amount,
            deliveriesFrom: given.deliveries_lower_bound ?? given.lower_bound_deliveries ?? 0,
            deliveriesTo: given.deliveries_upper_bound ?? given.upper_bound_deliveries ?? users,
            costFrom: given.cost_lower_bound,
            costTo: given.cost_upper_bound,
          },
        })),
    )
    .max(maxReachPoints),
});

const timeoutMs = 10_000;
