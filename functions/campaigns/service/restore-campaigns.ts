import type { JournaledChange } from '../../../shared/contract/journal.ts';
import { raiseLastId } from '../../../shared/table/counter.ts';
import { restoreItems } from '../../../shared/table/restored-item.ts';
import { raiseContactIds } from '../../contacts/service/contact-ids.ts';
import { campaignEntityName, storedCampaign, storedRecipientBatch } from '../contract/stored.ts';

/** Campaigns as they stood last: one that was sending goes on from its batches when the table is opened. */
export const restoreCampaigns = async (changes: readonly JournaledChange[]): Promise<number> => {
  const campaigns = changes.flatMap(({ image }) => (image ? [storedCampaign.parse(image)] : []));
  for (const [companyId, own] of Map.groupBy(campaigns, (campaign) => campaign.companyId))
    await raiseLastId(companyId, campaignEntityName, Math.max(...own.map(({ id }) => id)));
  return restoreItems(changes);
};

/** No new contact gets the id of a recipient whom the restored table does not know: the campaign is not for that one. */
export const restoreBatches = async (changes: readonly JournaledChange[]): Promise<number> => {
  const batches = changes.flatMap(({ image }) => (image ? [storedRecipientBatch.parse(image)] : []));
  for (const [companyId, own] of Map.groupBy(batches, (batch) => batch.companyId))
    await raiseContactIds(companyId, Math.max(0, ...own.flatMap(({ contactIds }) => contactIds)));
  return restoreItems(changes);
};
