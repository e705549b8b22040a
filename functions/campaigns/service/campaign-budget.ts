import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { minuteMs, now } from '../../../shared/runtime/clock.ts';
import { atMostEvery } from '../../../shared/runtime/memory.ts';
import { maxConflicts, conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { getActiveNumber } from '../../account/service/numbers.ts';
import {
  type CampaignBudget,
  changeBudgetPart,
  closeBudgetPart,
  getBudget,
  openBudgetPart,
} from '../../messaging/service/campaign-budgets.ts';
import type { Tariff } from '../../spend/contract/price-cap.ts';
import { hasPrices, isStoppedWithoutPrice } from '../../spend/service/ceiling-charges.ts';
import { microsOfText } from '../../spend/service/money-text.ts';
import type { CampaignChanges } from '../contract/campaign-input.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { freedOfLimit } from '../domain/cost.ts';
import { changeCampaign, getStoredCampaign } from '../store/campaign.ts';
import { getStats } from '../store/stats.ts';
import { changeOnResume } from './pause-campaign.ts';

/**
 * The ceiling of a campaign. While it sends, what is left is with its number, where reservations take from it; before and after, in its own item.
 */

type GivenLimit = NonNullable<CampaignChanges['spend_limit']>;

/** Of a campaign that is created with a ceiling. */
export const newLimit = ({ amount, currency }: GivenLimit): Pick<StoredCampaign, 'spendLimit' | 'spendLeft'> => {
  const micros = microsOfText(amount);
  return { spendLimit: { micros, currency }, spendLeft: micros };
};

/** Under a ceiling nothing of a campaign can be sent that nothing prices: its creation is refused at once. */
export const checkPrices = async (
  companyId: number,
  limit: GivenLimit | undefined,
  tariff: Tariff,
): Promise<Problem<'price_unknown'> | undefined> => {
  const isPriced = limit === undefined || (await hasPrices(companyId, limit.currency, tariff));
  return isPriced && !(await isStoppedWithoutPrice(companyId, tariff))
    ? undefined
    : problem('price_unknown', { details: { reason: tariff.cap ? 'no_currency' : 'no_card' } });
};

const budgetOf = ({ companyId, id, numberId, spendLimit, spendLeft }: StoredCampaign): CampaignBudget | undefined =>
  spendLimit === undefined || spendLeft !== undefined || numberId === undefined ? undefined : { companyId, numberId, campaignId: id };

/** What is left of the ceiling of a campaign; undefined: it has none. */
export const getSpendLeft = async (campaign: StoredCampaign): Promise<number | undefined> => {
  const budget = budgetOf(campaign);
  return campaign.spendLeft ?? (budget && (await getBudget(budget, { consistent: false })));
};

/** Lets a campaign spend from its number: once, as its item says what is left. Whether a reservation is to be tried again. 4 WRU. */
export const openBudget = ({ companyId, id }: StoredCampaign): Promise<boolean> =>
  retryOnConflict(maxConflicts, async () => {
    const seen = await getStoredCampaign(companyId, id);
    if (!seen?.spendLimit || seen.numberId === undefined) return false;
    const budget = { companyId, numberId: seen.numberId, campaignId: id };
    // another worker was faster
    if (seen.spendLeft === undefined) return (await getBudget(budget)) !== undefined;
    const written = await changeCampaign(seen, { spendLeft: undefined }, now(), [openBudgetPart(budget, seen.spendLeft)]);
    return written.done ? true : conflict;
  });

/**
 * Gives back to the ceiling of a campaign what its messages were proven not to cost, once: the campaign remembers how much it was in the same transaction.
 * Whether there was any. 2 RRU and 4 WRU.
 */
export const giveBackToBudget = ({ companyId, id }: StoredCampaign): Promise<boolean> =>
  retryOnConflict(maxConflicts, async () => {
    const [seen, stats] = await Promise.all([getStoredCampaign(companyId, id), getStats(companyId, id)]);
    if (!seen?.spendLimit) return false;
    const freed = freedOfLimit(stats?.cost, seen.spendLimits ?? 0);
    const by = freed - (seen.spendFreed ?? 0);
    if (by <= 0) return false;
    const budget = budgetOf(seen);
    if (budget && (await getBudget(budget)) === undefined) return false;
    const written = budget
      ? await changeCampaign(seen, { spendFreed: freed }, now(), [changeBudgetPart(budget, by)])
      : await changeCampaign(seen, { spendFreed: freed, spendLeft: (seen.spendLeft ?? 0) + by }, now());
    return written.done ? true : conflict;
  });

const mayLook = atMostEvery<string>(minuteMs);

/** The same for a campaign whose ceiling is short: once a minute in a process. */
export const giveBackToShortBudget = async (campaign: StoredCampaign): Promise<boolean> =>
  mayLook(`${campaign.companyId}:${campaign.id}`) && giveBackToBudget(campaign);

interface BudgetChange {
  change: Partial<StoredCampaign>;
  parts: TransactionPart[];
}

/** At the end of a campaign what is left is in its own item again, for a retry. */
export const budgetAtEnd = async (campaign: StoredCampaign): Promise<BudgetChange> => {
  const budget = budgetOf(campaign);
  if (!budget) return { change: {}, parts: [] };
  const left = await getBudget(budget);
  return left === undefined
    ? { change: { spendLeft: 0 }, parts: [] }
    : { change: { spendLeft: left }, parts: [closeBudgetPart(budget, left)] };
};

/** A single recipient of a campaign that is over had let it spend again. */
export const closeBudget = async (campaign: StoredCampaign): Promise<void> => {
  const { change, parts } = await budgetAtEnd(campaign);
  if (parts.length === 0) return;
  const written = await changeCampaign(campaign, change, now(), parts);
  if (!written.done) throw new Error('A campaign moved while its ceiling was closed; the queue delivers the check again.');
};

/** Raises, lowers, adds or removes the ceiling. What is spent stays spent. A campaign that its ceiling paused continues with a greater one. */
export const changeOfLimit = async (
  campaign: StoredCampaign,
  given: CampaignChanges['spend_limit'],
): Promise<BudgetChange | Problem<'validation_failed' | 'campaign_not_editable'>> => {
  const { spendLimit: before, status } = campaign;
  if (['completed', 'failed'].includes(status)) return problem('campaign_not_editable', { details: { status } });
  const isHeld = status === 'paused' && campaign.pauseReason === 'spend_limit' && campaign.pauseDetails?.ceiling === 'campaign';
  if (given === null || given === undefined) {
    const { parts } = await budgetAtEnd(campaign);
    // what is taken under the next one begins anew, and so does what goes back
    const ended = before && { spendFreed: undefined, spendLimits: (campaign.spendLimits ?? 0) + 1 };
    return { change: { spendLimit: undefined, spendLeft: undefined, ...ended, ...(isHeld ? changeOnResume(campaign, now()) : {}) }, parts };
  }
  const limit = newLimit(given);
  if (before === undefined) return addLimit(campaign, given);
  if (before.currency !== given.currency)
    return invalid('spend_limit', `The ceiling is in ${before.currency}; remove it first to set one in another currency.`);
  const by = (limit.spendLimit?.micros ?? 0) - before.micros;
  const resumed = isHeld && by > 0 ? changeOnResume(campaign, now()) : {};
  const budget = budgetOf(campaign);
  const isOpen = budget !== undefined && (await getBudget(budget)) !== undefined;
  return isOpen
    ? { change: { spendLimit: limit.spendLimit, ...resumed }, parts: [changeBudgetPart(budget, by)] }
    : { change: { spendLimit: limit.spendLimit, spendLeft: (campaign.spendLeft ?? 0) + by, ...resumed }, parts: [] };
};

/** A first ceiling counts from now on. The campaign is sent from one number from then on. */
async function addLimit(campaign: StoredCampaign, given: GivenLimit): Promise<BudgetChange | Problem<'validation_failed'>> {
  const tariff: Tariff = campaign.template;
  if (!(await hasPrices(campaign.companyId, given.currency, tariff)))
    return invalid(
      'spend_limit',
      tariff.cap
        ? `There is no price in ${given.currency}: the max price of its template is in another currency.`
        : `There is no rate card in ${given.currency}.`,
    );
  const numberId = campaign.numberId ?? (await getActiveNumber(campaign.companyId))?.id;
  if (numberId === undefined) return invalid('spend_limit', 'The company has no active business number.');
  return { change: { numberId, ...newLimit(given) }, parts: [] };
}
