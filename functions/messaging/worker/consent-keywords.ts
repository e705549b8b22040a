import { consume } from '../../../shared/queue/consume.ts';
import { consentKeywordsQueue } from '../contract/inbound-queue.ts';
import { applyConsentKeyword } from '../service/apply-consent-keyword.ts';

export const handler = consume(consentKeywordsQueue, ({ company_id, contact_id, message_id }) =>
  applyConsentKeyword({ companyId: company_id, contactId: contact_id, messageId: message_id }),
);
