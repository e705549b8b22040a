import { dayMs, now } from '../../../shared/runtime/clock.ts';
import { failWaitingRecipient, getRecipientMessages } from '../../messaging/service/campaign-recipients.ts';
import type { PauseReason } from '../contract/stored.ts';
import { getRecipientBatch, updateRecipientBatch } from '../store/recipient-batch.ts';
import type { SendBatchCommand } from './chain.ts';

/** How long a single recipient of a campaign that is over waits for what holds it up. */
const maxHeldMs = dayMs;

type HoldReason = Exclude<PauseReason, 'user' | 'company_suspended'>;

/** Whether the recipient of a held batch has waited for too long: its message then is a failure that says what it waited for. */
export const failAfterWaiting = async (
  { companyId, campaignId, batch: number }: SendBatchCommand,
  reason: HoldReason,
): Promise<boolean> => {
  const batch = await getRecipientBatch(companyId, campaignId, number);
  if (!batch?.isSingleRecipient) return false;
  const { contactIds, secondMs = 0 } = batch;
  const [row] = (await getRecipientMessages(companyId, { id: campaignId, batch: number }, contactIds, secondMs)).values();
  // without a row the call that adds it may still be repeated
  if (!row || now() - row.updatedAt < maxHeldMs) return false;
  await failWaitingRecipient(row, { code: reason, title: titles[reason] });
  const ended = await updateRecipientBatch(batch, { waiting: [], done: true });
  if (!ended.done) throw new Error('A held batch changed while it was ended; the queue delivers it again.');
  return true;
};

const titles: Readonly<Record<HoldReason, string>> = {
  template_paused: 'The template was not approved for a day',
  provider_blocked: 'The company had no active business number for a day',
  spend_limit: 'A spend ceiling did not allow it for a day',
  number_restricted: 'The business number was restricted for a day',
};
