import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { dayMs, isoTime, now } from '../../../shared/runtime/clock.ts';
import { type BusinessNumber, getAccountNumber } from '../../account/service/numbers.ts';
import type { ReachEstimate, ReachQuery, StoredReach } from '../contract/reach.ts';
import type { StoredTemplate } from '../contract/stored.ts';
import { atPriceView, pointAt } from '../domain/reach.ts';
import { getProviderReach } from '../gateway.ts';
import { getStoredReach, putReach } from '../store/reach.ts';
import { getTemplate } from './templates.ts';

type ReachProblem = Problem<'validation_failed' | 'not_found' | 'number_missing'>;

/**
 * How many people a max price reaches in a country. The provider is read once a day for an account and country: 0.5 RRU and 1 for the template, and then a
 * call of the provider and 1 to 3 WRU. What it refuses is not stored: it may be set right at once.
 */
export const getReach = async (companyId: number, { country, template_id: id }: ReachQuery): Promise<ReachEstimate | ReachProblem> => {
  const template = id === undefined ? undefined : await getTemplate(companyId, id);
  if (template && isProblem(template)) return template;
  if (template && !template.bid) return invalid('template_id', 'Only a template that has a max price.');
  const number = await getAccountNumber(companyId, template?.wabaId);
  if (!number) return problem('number_missing');
  const reach = await readReach({ ...number, wabaId: template?.wabaId ?? number.wabaId }, country);
  return typeof reach === 'string' ? withoutReach(country, reach) : reachView(reach, template);
};

async function readReach(account: BusinessNumber, country: string): Promise<StoredReach | 'refused' | 'unreachable'> {
  const { companyId, wabaId } = account;
  const known = await getStoredReach({ companyId, wabaId, country });
  const at = now();
  if (known && at - known.readAt < dayMs) return known;
  const answered = await getProviderReach(account, country);
  if (answered.outcome !== 'answered') return answered.outcome;
  const { currency, users, points } = answered;
  const read = { companyId, wabaId, country, readAt: at, until: Math.ceil((at + 2 * dayMs) / 1_000), currency, users, points };
  await putReach(read);
  return read;
}

function reachView({ country, currency, users, points, readAt }: StoredReach, template: StoredTemplate | undefined): ReachEstimate {
  if (points.length === 0) return { ...withoutReach(country, 'no_estimate'), read_at: isoTime(readAt) };
  const prices = points.toSorted((a, b) => a.bid - b.bid).flatMap((point) => atPriceView(point, currency) ?? []);
  if (prices.length === 0) return { ...withoutReach(country, 'no_currency'), read_at: isoTime(readAt) };
  const bid = template?.bid;
  const point = bid && (bid.currency ?? currency) === currency ? pointAt(points, bid.amount) : undefined;
  return {
    country,
    currency,
    users,
    prices,
    at_max_price: (point && atPriceView(point, currency)) ?? null,
    read_at: isoTime(readAt),
    reason: null,
  };
}

const withoutReach = (country: string, reason: NonNullable<ReachEstimate['reason']>): ReachEstimate => ({
  country,
  currency: null,
  users: null,
  prices: [],
  at_max_price: null,
  read_at: null,
  reason,
});
