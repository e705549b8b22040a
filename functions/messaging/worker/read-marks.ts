import { consume } from '../../../shared/queue/consume.ts';
import { readMarksQueue } from '../contract/receiving.ts';
import { tellRead } from '../service/read-receiving.ts';

export const handler = consume(readMarksQueue, ({ company_id, contact_id, message_id }) =>
  tellRead({ companyId: company_id, contactId: contact_id, messageId: message_id }),
);
