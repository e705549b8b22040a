import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { dayMs, isoTime, now } from '../../../shared/runtime/clock.ts';
import { type BusinessNumber, getAccountNumber } from '../../account/service/numbers.ts';
import { microsText } from '../../spend/contract/micros-text.ts';
import type { Money } from '../../spend/contract/money.ts';
import type { ReachEstimate, ReachQuery, StoredReach } from '../contract/reach.ts';
import type { StoredTemplate } from '../contract/stored.ts';
import { atPriceView, expectedOf, pointAt } from '../domain/reach.ts';
import { getProviderReach } from '../gateway/reach.ts';
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

/** Recipients of so many countries are looked up, of a send to more nothing is expected. */
const maxCountries = 20;

interface ExpectedSend {
  items: readonly { country: string | undefined; recipients: number }[];
  /** Of the max price of the template, at which it is sent. */
  percent?: number | undefined;
}

export interface ExpectedReach {
  recipients_from: number;
  recipients_to: number;
  cost_from: Money;
  cost_to: Money;
}

/** What the provider expects of a send with a max price, by the estimates that are stored; null: one is not known. 0.5 RRU for each country, no call. */
export const expectReach = async (
  companyId: number,
  { bid, wabaId }: Pick<StoredTemplate, 'bid' | 'wabaId'>,
  { items, percent = 100 }: ExpectedSend,
): Promise<ExpectedReach | null> => {
  const currency = bid?.currency;
  if (!bid || currency === undefined || items.length === 0 || items.length > maxCountries) return null;
  const account = wabaId ?? (await getAccountNumber(companyId, wabaId))?.wabaId;
  if (account === undefined) return null;
  const found = await Promise.all(
    items.map(async ({ country, recipients }) => {
      const reach = country === undefined ? undefined : await getStoredReach({ companyId, wabaId: account, country });
      if (!reach || reach.currency !== currency || now() - reach.readAt >= dayMs) return undefined;
      const point = pointAt(reach.points, (bid.amount * percent) / 100);
      return point && { recipients, users: reach.users, point };
    }),
  );
  const known = found.filter((each) => each !== undefined);
  const expected = known.length === items.length ? expectedOf(known, currency) : undefined;
  if (!expected) return null;
  const amount = (micros: number): Money => ({ amount: microsText(micros), currency });
  return {
    recipients_from: expected.recipientsFrom,
    recipients_to: expected.recipientsTo,
    cost_from: amount(expected.microsFrom),
    cost_to: amount(expected.microsTo),
  };
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
