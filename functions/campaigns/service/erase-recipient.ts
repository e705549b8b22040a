import { type ErasureSlice, type ErasureSubject, sliceOf } from '../../../shared/contract/erasure.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import { mentionsContact } from '../../contacts/contract/mentions.ts';
import type { StoredCampaign } from '../contract/stored.ts';
import { audienceOf } from '../domain/audience.ts';
import { campaignsBefore, changeCampaign, getStoredCampaign } from '../store/campaign.ts';
import { listSingleRecipientBatches, updateRecipientBatch } from '../store/recipient-batch.ts';

/**
 * What campaigns hold of an erased recipient beside its message: values given for it alone, and the name and values of a campaign to one
 * contact. Ids in batches stay; they lead to no data any more. One campaign a slice.
 */
export const campaignValuesToErase = async (subject: ErasureSubject, cursor: string | undefined): Promise<ErasureSlice> => {
  const { companyId, contactId } = subject;
  const beforeId = cursor === undefined ? undefined : Number(cursor);
  const { value: campaign } = await campaignsBefore(companyId, { beforeId, count: 1 }).next();
  if (!campaign) return sliceOf([]);
  const batches = await listSingleRecipientBatches(companyId, campaign.id);
  const own = batches.filter(({ contactIds, data }) => data !== undefined && contactIds.includes(contactId));
  return sliceOf(
    [
      ...own.map((batch) => () => updateRecipientBatch(batch, { data: undefined })),
      ...(isOfContact(campaign, subject) ? [() => eraseValues(companyId, campaign.id)] : []),
    ],
    String(campaign.id),
  );
};

function isOfContact(campaign: StoredCampaign, subject: ErasureSubject): boolean {
  const { name, values } = campaign;
  const audience = audienceOf(campaign);
  const isRecipient = audience.of === 'contact' && audience.id === subject.contactId;
  return (isRecipient && (name !== erasedName || Object.keys(values).length > 0)) || mentionsContact(name, subject);
}

const erasedName = 'Erased';

async function eraseValues(companyId: number, id: number): Promise<void> {
  await retryOnConflict(maxConflicts, async () => {
    const campaign = await getStoredCampaign(companyId, id);
    if (!campaign || campaign.status === 'deleted') return;
    const change: Partial<StoredCampaign> = { name: erasedName, ...(audienceOf(campaign).of === 'contact' ? { values: {} } : {}) };
    return (await changeCampaign(campaign, change, now())).done ? undefined : conflict;
  });
}
