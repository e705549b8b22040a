import { consume } from '../../../shared/queue/consume.ts';
import { inboundMediaQueue } from '../contract/inbound-queue.ts';
import { fetchInboundMedia } from '../service/fetch-inbound-media.ts';

export const handler = consume(inboundMediaQueue, ({ company_id, contact_id, message_id }) =>
  fetchInboundMedia({ companyId: company_id, contactId: contact_id, messageId: message_id }),
);
