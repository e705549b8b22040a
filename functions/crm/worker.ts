import { consume } from '../../shared/queue/consume.ts';
import { crmQueue } from './contract/work.ts';
import { takeStaffCode } from './service/confirmation.ts';
import { followContact } from './service/leads.ts';
import { becomeOverdue, remind } from './service/reminders.ts';

export const handler = consume(crmQueue, async (work) => {
  switch (work.kind) {
    case 'reminder':
      return remind({ companyId: work.company_id, leadId: work.lead_id, taskId: work.task_id, dueAtMs: work.due_at_ms });
    case 'overdue':
      return becomeOverdue(work.company_id, work.lead_id, work.due_at_ms);
    case 'staff_code':
      return takeStaffCode(work.company_id, work.contact_id, work.message_id);
    case 'contact':
      return followContact(work.company_id, work.contact_id);
  }
});
