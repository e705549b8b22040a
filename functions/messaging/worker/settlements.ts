import { consume } from '../../../shared/queue/consume.ts';
import { settlementsQueue } from '../contract/queue.ts';
import { settleUnknown } from '../service/due.ts';

export const handler = consume(settlementsQueue, ({ company_id, contact_id, message_id, attempt }) =>
  settleUnknown({ companyId: company_id, contactId: contact_id, messageId: message_id, attempt }),
);
