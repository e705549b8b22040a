import { consume } from '../../../shared/queue/consume.ts';
import { consentWordsQueue } from '../contract/receiving.ts';
import { takeKeyword } from '../service/consent-keyword.ts';

export const handler = consume(consentWordsQueue, ({ company_id, contact_id, message_id }) =>
  takeKeyword({ companyId: company_id, contactId: contact_id, messageId: message_id }),
);
