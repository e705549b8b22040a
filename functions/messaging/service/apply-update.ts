import { applyTemplateWebhook } from '../../templates/service/apply-update.ts';
import type { ProviderUpdate } from '../contract/provider-update.ts';
import { applyAccountUpdate } from './apply-account-update.ts';
import { applyStatusUpdate } from './apply-status.ts';
import { archiveUpdate } from './archive-update.ts';
import { applyPreference } from './marketing-preferences.ts';
import { receiveEcho, receiveMessage } from './receive-message.ts';
import { applyUserIdUpdate } from './user-ids.ts';

/** Applies one update from the queue. Repeated, late or out of order it changes nothing. */
export const applyUpdate = async (update: ProviderUpdate): Promise<void> => {
  // any caller with the address may have made it: it changes nothing that is stored of a contact, a message or a number
  if (update.is_unsigned && changesRecords(update.update)) return archiveUpdate(update, 'unsigned', update.update);
  switch (update.update.kind) {
    case 'message':
      return receiveMessage(update, update.update.message, {
        name: update.update.profile_name,
        username: update.is_unsigned ? undefined : update.update.username,
      });
    case 'echo':
      return receiveEcho(update, update.update.message);
    // put on this queue before statuses had one of their own
    case 'status':
      return applyStatusUpdate(update.company_id, update.update.status, update.received_at);
    case 'preference':
      return applyPreference(update, update.update.preference);
    case 'identity':
      return applyUserIdUpdate(update, update.update.identity);
    case 'other': {
      const { field, value } = update.update;
      const { company_id, received_at, occurred_at: occurredAt, business_account_id: accountId } = update;
      if (await applyTemplateWebhook(company_id, field, value, received_at, { occurredAt, accountId })) return;
      await archiveUpdate(update, field, value);
      return applyAccountUpdate(update, field, value);
    }
  }
};

/** Whether the update does more than bring a new message: it moves an identity, changes a consent, a status, or an earlier message. */
function changesRecords(update: ProviderUpdate['update']): boolean {
  if (update.kind !== 'message' && update.kind !== 'echo') return true;
  const { type, edit, revoke } = update.message;
  return type === 'system' || edit !== undefined || revoke !== undefined;
}
