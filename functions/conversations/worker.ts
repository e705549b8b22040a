import { consume } from '../../shared/queue/consume.ts';
import { readReceiptsQueue } from '../messaging/contract/inbound-queue.ts';
import { sendReadReceipt } from '../messaging/service/send-read-receipt.ts';
import { endSnooze } from './service/conversations.ts';

export const handler = consume(readReceiptsQueue, (work) =>
  'until_ms' in work
    ? endSnooze(work.company_id, work.contact_id, work.until_ms)
    : sendReadReceipt({ companyId: work.company_id, contactId: work.contact_id, messageId: work.message_id }),
);
