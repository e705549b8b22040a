import type { StatusOwner } from '../../shared/contract/status-owner.ts';
import { campaignReferencePrefix, parseReference } from '../messaging/contract/reference.ts';
import { isSendResultRecorded } from './service/send-results.ts';

/** A `sent` status repeats the response to the send; applying it would cost a write a recipient. */
export const statuses: readonly StatusOwner[] = [
  {
    prefix: campaignReferencePrefix,
    receive: async ({ companyId, reference, status }) => {
      const message = parseReference(reference);
      if (status !== 'sent' || message?.campaign === undefined || message.companyId !== companyId) return 'apply';
      return (await isSendResultRecorded(companyId, message.campaign, message.contactId)) ? 'done' : 'apply';
    },
  },
];
