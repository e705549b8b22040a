import { type BusinessNumber, getActiveNumber, getSendingNumber } from '../../account/service/numbers.ts';
import type { StoredCampaign } from '../contract/stored.ts';

/** The number that a campaign is sent from: its own, and no other, where it names one; else the company's default number. 0.5 RRU. */
export const getCampaignNumber = async ({ companyId, numberId }: StoredCampaign): Promise<BusinessNumber | undefined> => {
  if (numberId === undefined) return getActiveNumber(companyId);
  const number = await getSendingNumber(companyId, numberId);
  return number?.id === numberId ? number : undefined;
};
