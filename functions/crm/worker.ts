import { consume } from '../../shared/queue/consume.ts';
import { crmQueue } from './contract/work.ts';
import { confirmWorkNumber } from './service/confirm-work-number.ts';
import { updateContactText } from './service/leads.ts';
import { recordReminderOutcome, sendTaskReminder, updateOverdueLead } from './service/reminders.ts';

export const handler = consume(crmQueue, async (work) => {
  switch (work.kind) {
    case 'reminder':
      return sendTaskReminder({ companyId: work.company_id, leadId: work.lead_id, taskId: work.task_id, dueAtMs: work.due_at_ms });
    case 'reminded':
      return recordReminderOutcome(work.company_id, work.contact_id, work.message_id);
    case 'overdue':
      return updateOverdueLead(work.company_id, work.lead_id, work.due_at_ms);
    case 'staff_code':
      return confirmWorkNumber(work.company_id, work.contact_id, work.message_id);
    case 'contact':
      return updateContactText(work.company_id, work.contact_id);
  }
});
