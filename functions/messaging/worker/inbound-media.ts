import { consume } from '../../../shared/queue/consume.ts';
import { inboundMediaQueue } from '../contract/receiving.ts';
import { fetchInboundMedia } from '../service/media-in.ts';

export const handler = consume(inboundMediaQueue, ({ company_id, contact_id, message_id }) =>
  fetchInboundMedia({ companyId: company_id, contactId: contact_id, messageId: message_id }),
);
