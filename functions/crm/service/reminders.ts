import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { getUser } from '../../account/service/users.ts';
import { queueText } from '../../messaging/service/queue-text.ts';
import type { Task } from '../contract/stored-task.ts';
import { crmQueue } from '../contract/work.ts';
import { canBeReminded } from '../domain/preference.ts';
import { reminderText } from '../domain/reminder.ts';
import { recordReminder } from '../domain/task.ts';
import { getStoredLead } from '../store/lead.ts';
import { getPreference } from '../store/preference.ts';
import { getLeadRow, updateLeadRowToOverdue } from '../store/row.ts';
import { getStoredTask, updateStoredTask } from '../store/task.ts';
import { maxAttempts } from './assignees.ts';

/** A task and the due time that it had when its reminder was scheduled. */
export interface ReminderReference {
  companyId: number;
  leadId: number;
  taskId: number;
  dueAtMs: number;
}

/**
 * Sends the reminder of a task to its assignee. The message id derives from task and due time, so a repeated queue message sends once. A
 * task that was moved, completed or cancelled meanwhile gets no reminder; see docs/decisions/task-reminders.md.
 */
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

/** Moves a lead whose next task fell due to the overdue ones. */
export const updateOverdueLead = async (companyId: number, leadId: number, dueAtMs: number): Promise<void> => {
  const early = dueAtMs + 1 - now();
  if (early > 0) {
    const message = { kind: 'overdue' as const, company_id: companyId, lead_id: leadId, due_at_ms: dueAtMs };
    return send(crmQueue, [{ companyId, message, delaySeconds: Math.max(1, early / 1_000) }]);
  }
  return retryOnConflict(maxAttempts, async () => {
    const row = await getLeadRow(companyId, leadId);
    if (!row || row.followUp !== 1 || row.due !== dueAtMs) return undefined;
    return (await updateLeadRowToOverdue(row)) ? undefined : conflict;
  });
};

const isDue = (task: Task, dueAtMs: number): boolean => task.status === 'pending' && task.remindAt === dueAtMs;

/** Enqueues the reminder to the assignee's own verified number; false when the assignee receives none. */
async function enqueueReminder(task: Task, dueAtMs: number): Promise<boolean> {
  const { companyId, assigneeId, leadId } = task;
  const [user, preference, lead] = await Promise.all([
    getUser(companyId, assigneeId),
    getPreference(companyId, assigneeId),
    getStoredLead(companyId, leadId),
  ]);
  if (user?.status !== 'active' || !canBeReminded(preference) || !lead) return false;
  const isQueued = await queueText(
    companyId,
    { contactId: preference.contactId, phone: preference.workNumber, text: reminderText(task, lead.title) },
    // equal on every delivery: both make the message's id
    { operationId: `task-reminder:${companyId}:${task.id}:${task.dueAt}`, startedAt: dueAtMs },
  );
  if (isQueued) metric('TaskReminders', 'Count', 1);
  else log.warn('A task reminder could not be sent: the company has no active number', { company_id: companyId });
  return isQueued;
}

/** Records the reminder, unless the task was moved or closed meanwhile. */
function recordReminderResult(task: Task, dueAtMs: number, sentAt: number | undefined): Promise<void> {
  let seen: Task | undefined = task;
  return retryOnConflict(maxAttempts, async () => {
    if (!seen || !isDue(seen, dueAtMs)) return undefined;
    const written = await updateStoredTask(recordReminder(seen, sentAt));
    if (written.done) return undefined;
    seen = written.current;
    return conflict;
  });
}
