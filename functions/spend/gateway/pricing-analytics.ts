import * as z from 'zod';
import { callProvider, type ProviderAccess } from '../../../shared/provider/call.ts';
import type { BillPoint } from '../domain/bill.ts';

/** What the provider charged an account; `refused`: it answered something else; `unreachable`: it did not answer. */
export type PricingAnalytics = { outcome: 'answered'; points: BillPoint[] } | { outcome: 'refused' | 'unreachable' };

const reply = z.looseObject({
  pricing_analytics: z.looseObject({
    data: z.array(
      z.looseObject({
        data_points: z.array(
          z.looseObject({
            pricing_type: z.string().optional(),
            volume: z.number().int().nonnegative(),
            /** Absent: the account is on the credit line of a partner. */
            cost: z.number().nonnegative().optional(),
          }),
        ),
      }),
    ),
  }),
});

/**
 * Volumes and costs of an account by day, number, country, type and category, from a second until another.
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/pricing_analytics/
 */
export const getPricingAnalytics = async (
  access: ProviderAccess,
  wabaId: string,
  { startSeconds, endSeconds }: { startSeconds: number; endSeconds: number },
): Promise<PricingAnalytics> => {
  const dimensions = 'PRICING_CATEGORY,PRICING_TYPE,COUNTRY,PHONE';
  const fields = `pricing_analytics.start(${startSeconds}).end(${endSeconds}).granularity(DAILY).metric_types(COST,VOLUME).dimensions(${dimensions})`;
  const answered = await callProvider(access, { method: 'GET', path: [wabaId], query: { fields }, timeoutMs: 10_000 });
  if (answered.outcome !== 'answered') return { outcome: 'unreachable' };
  const parsed = answered.status < 300 ? reply.safeParse(answered.body) : undefined;
  if (!parsed?.success) return { outcome: 'refused' };
  const points = parsed.data.pricing_analytics.data.flatMap(({ data_points: all }) => all);
  return {
    outcome: 'answered',
    points: points.map(({ pricing_type: type, volume, cost }) => ({
      isCharged: type?.toUpperCase() === 'REGULAR',
      messages: volume,
      micros: cost === undefined ? undefined : BigInt(Math.round(cost * 1_000_000)),
    })),
  };
};
