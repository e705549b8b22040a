/**
 * `GET /{WABA_ID}?fields=pricing_analytics.start(..).end(..).granularity(DAILY).metric_types(..).dimensions(..)`: volumes and costs of what was delivered, by
 * day, number, country, type and category. https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/pricing_analytics/
 */
import { dayMs } from '../../../shared/runtime/clock.ts';
import type { Answer } from './answer.ts';
import type { Billing } from './billing.ts';
import { refuseParameter } from './errors.ts';
import type { Registry } from './registry.ts';

const daysBack = 365;

export const isPricingAnalytics = (fields: string | null): fields is string => fields?.startsWith('pricing_analytics.') ?? false;

export function createPricingAnalytics({ billing, registry }: { billing: Billing; registry: Registry }) {
  return (wabaId: string, fields: string): Answer => {
    const [start, end] = [secondsIn(fields, 'start'), secondsIn(fields, 'end')];
    if (start === undefined || end === undefined) return refuseParameter('The parameters start and end are required.');
    if (start >= end) return refuseParameter('Param start must be before end.');
    if (start * 1_000 < Date.now() - daysBack * dayMs) return refuseParameter(`Param start must be within the last ${daysBack} days.`);
    if (textIn(fields, 'granularity') !== 'DAILY') return refuseParameter('Param granularity must be one of {DAILY}');
    const metrics = listIn(fields, 'metric_types', ['COST', 'VOLUME']);
    const dimensions = new Set(listIn(fields, 'dimensions', []));
    const { analytics_shift: shift, is_on_credit_line: isOnCreditLine } = billing.settings();
    const numbers = registry.numbersOf({ waba_id: wabaId });
    const phones = new Map(numbers.map(({ phone_number_id: id, display_phone_number: phone }) => [id, phone.replaceAll(/\D/g, '')]));
    const points = new Map<string, Point>();
    for (const { at, phoneNumberId, country, category, pricingType, micros = 0n } of billing.priced([...phones.keys()])) {
      if (at < start * 1_000 || at >= end * 1_000) continue;
      const day = (at - (at % dayMs)) / 1_000;
      const point = {
        start: day,
        end: day + dayMs / 1_000,
        ...(dimensions.has('PHONE') && { phone_number: phones.get(phoneNumberId) }),
        ...(dimensions.has('COUNTRY') && { country }),
        ...(dimensions.has('PRICING_TYPE') && { pricing_type: pricingType.toUpperCase() }),
        ...(dimensions.has('PRICING_CATEGORY') && { pricing_category: category.toUpperCase() }),
      };
      const key = JSON.stringify(point);
      const { volume, cost } = points.get(key) ?? { volume: 0, cost: 0n };
      points.set(key, { fields: point, volume: volume + 1, cost: cost + micros });
    }
    const data_points = [...points.values()].map(({ fields: of, volume, cost }) => ({
      ...of,
      ...(metrics.includes('VOLUME') && { volume }),
      ...(metrics.includes('COST') && !isOnCreditLine && { cost: (Number(cost) * (1 + shift / 100)) / 1_000_000 }),
    }));
    return { status: 200, body: { pricing_analytics: { data: [{ data_points }] }, id: wabaId } };
  };
}
export type PricingAnalytics = ReturnType<typeof createPricingAnalytics>;

interface Point {
  fields?: Record<string, unknown>;
  volume: number;
  cost: bigint;
}

const textIn = (fields: string, name: string): string | undefined => new RegExp(`\\.${name}\\(([^)]*)\\)`).exec(fields)?.[1];

const secondsIn = (fields: string, name: string): number | undefined => {
  const text = textIn(fields, name);
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
};

const listIn = (fields: string, name: string, byDefault: readonly string[]): readonly string[] =>
  textIn(fields, name)?.match(/[A-Z_]+/g) ?? byDefault;
