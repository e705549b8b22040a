import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { getUser } from '../../account/service/users.ts';
import { queueText } from '../../messaging/service/queue-text.ts';
import { crmQueue } from '../contract/work.ts';
import { canBeReminded } from '../domain/preference.ts';
import { reminderText } from '../domain/reminder.ts';
import { recordReminder, type Task } from '../domain/task.ts';
import { getStoredLead } from '../store/lead.ts';
import { getPreference } from '../store/preference.ts';
import { getLeadRow, updateLeadRowToOverdue } from '../store/row.ts';
import { getStoredTask, updateStoredTask } from '../store/task.ts';
import { Contended, maxAttempts, pause } from './contention.ts';

/**
 * Reminders to staff (A67). The message's row is keyed by task and due time, so however often this runs, one message goes out for one due
 * time; a task that was moved, completed or cancelled meanwhile is not the one that fell due, and nothing is sent.
 */
export interface ReminderReference {
  companyId: number;
  leadId: number;
  taskId: number;
  dueAtMs: number;
}

export const sendTaskReminder = async (reference: ReminderReference): Promise<void> => {
  const { companyId, leadId, taskId, dueAtMs } = reference;
  const early = dueAtMs - now();
  if (early > 0) {
    const message = { kind: 'reminder' as const, company_id: companyId, lead_id: leadId, task_id: taskId, due_at_ms: dueAtMs };
    return send(crmQueue, [{ companyId, message, delaySeconds: early / 1_000 }]);
  }
  const task = await getStoredTask(companyId, leadId, taskId);
  if (!task || !isDue(task, dueAtMs)) return;
  await recordReminderResult(task, dueAtMs, (await enqueueReminder(task, dueAtMs)) ? now() : undefined);
};

/** An enquiry's next task fell due: its row goes to the overdue ones. */
export const updateOverdueLead = async (companyId: number, leadId: number, dueAtMs: number): Promise<void> => {
  const early = dueAtMs + 1 - now();
  if (early > 0) {
    const message = { kind: 'overdue' as const, company_id: companyId, lead_id: leadId, due_at_ms: dueAtMs };
    return send(crmQueue, [{ companyId, message, delaySeconds: Math.max(1, early / 1_000) }]);
  }
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const row = await getLeadRow(companyId, leadId);
    if (!row || row.followUp !== 1 || row.due !== dueAtMs || (await updateLeadRowToOverdue(row))) return;
    await pause(attempt);
  }
  throw new Contended();
};

const isDue = (task: Task, dueAtMs: number): boolean => task.status === 'pending' && task.remindAt === dueAtMs;

/** Whether the reminder is on its way: to the assignee's own verified, opted-in number, or not at all. */
async function enqueueReminder(task: Task, dueAtMs: number): Promise<boolean> {
  const { companyId, assigneeId, leadId } = task;
  const [user, preference, lead] = await Promise.all([
    getUser(companyId, assigneeId),
    getPreference(companyId, assigneeId),
    getStoredLead(companyId, leadId),
  ]);
  if (user?.status !== 'active' || !canBeReminded(preference) || !lead) return false;
  const queued = await queueText(
    companyId,
    { contactId: preference.contactId, phone: preference.workNumber, text: reminderText(task, lead.title) },
    // the same on every delivery: together they are the message's id
    { operationId: `task-reminder:${companyId}:${task.id}:${task.dueAt}`, startedAt: dueAtMs },
  );
  if (queued) metric('TaskReminders', 'Count', 1);
  else log.warn('A task reminder had no business number to go out from', { company_id: companyId });
  return queued;
}

/** The reminder of this due time is done with, unless the task was moved or closed meanwhile. */
async function recordReminderResult(first: Task, dueAtMs: number, sentAt: number | undefined): Promise<void> {
  for (let attempt = 1, seen: Task | undefined = first; seen && isDue(seen, dueAtMs); attempt++) {
    if (attempt > maxAttempts) throw new Contended();
    const written = await updateStoredTask(recordReminder(seen, sentAt));
    if (written.done) return;
    seen = written.current;
  }
}
