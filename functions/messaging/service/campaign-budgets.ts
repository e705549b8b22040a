import type { TransactionPart } from '../../../shared/table/transaction.ts';
import { changingBudget, closingBudget, getAllowances, openingBudget } from '../store/pace.ts';

/**
 * The ceiling of a campaign lies in the item of its number's send slots while the campaign sends, so that one write takes both. It is moved there and
 * back in one transaction with the campaign.
 */

export interface CampaignBudget {
  companyId: number;
  numberId: number;
  campaignId: number;
}

/** What is left of the ceiling of a campaign; undefined: its number has nothing of it. 1 RRU, 0.5 eventually consistent. */
export const getBudget = async (
  { companyId, numberId, campaignId }: CampaignBudget,
  options: { consistent?: boolean } = {},
): Promise<number | undefined> => (await getAllowances(companyId, numberId, options)).budgetOf(campaignId);

export const openBudgetPart = ({ companyId, numberId, campaignId }: CampaignBudget, micros: number): TransactionPart =>
  openingBudget(companyId, numberId, campaignId, micros);

export const changeBudgetPart = ({ companyId, numberId, campaignId }: CampaignBudget, micros: number): TransactionPart =>
  changingBudget(companyId, numberId, campaignId, micros);

export const closeBudgetPart = ({ companyId, numberId, campaignId }: CampaignBudget, left: number): TransactionPart =>
  closingBudget(companyId, numberId, campaignId, left);
