import { consume } from '../../../shared/queue/consume.ts';
import { unconfirmedSendsQueue } from '../contract/queue.ts';
import { failUnconfirmedSend } from '../service/scheduled-messages.ts';

export const handler = consume(unconfirmedSendsQueue, ({ company_id, contact_id, message_id, attempt }) =>
  failUnconfirmedSend({ companyId: company_id, contactId: contact_id, messageId: message_id, attempt }),
);
