import { isProblem } from '../../../shared/contract/problems.ts';
import { send } from '../../../shared/queue/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { log, metric } from '../../../shared/runtime/log.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { getCompany } from '../../account/service/companies.ts';
import { getUser } from '../../account/service/users.ts';
import { messageStatuses, type StoredMessage } from '../../messaging/contract/stored.ts';
import { getContactMessages } from '../../messaging/service/messages.ts';
import { queueTemplate } from '../../messaging/service/queue-template.ts';
import { queueTextInWindow } from '../../messaging/service/queue-text.ts';
import { bodyPlaceholders } from '../../templates/contract/parameters.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import type { Task } from '../contract/stored-task.ts';
import { crmQueue } from '../contract/work.ts';
import { canBeReminded } from '../domain/preference.ts';
import { formatOperation, parseOperation, reminderText, reminderValues } from '../domain/reminder.ts';
import { isRepeatedReminder, recordReminder, type ReminderResult } from '../domain/task.ts';
import { getStoredLead } from '../store/lead.ts';
import { getPreference } from '../store/preference.ts';
import { getLeadRow, updateLeadRowToOverdue } from '../store/row.ts';
import { getLeadIdOfTask, getStoredTask, updateStoredTask } from '../store/task.ts';
import { maxWriteAttempts } from './assignees.ts';

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
  const failed = await enqueueReminder(task, dueAtMs);
  if (failed) log.info('A task reminder could not be sent', { company_id: companyId, code: failed });
  const result: ReminderResult = failed ? { outcome: 'failed', code: failed, title: reminderFailures[failed] } : { outcome: 'waiting' };
  await recordReminderResult(task, result, (seen) => isDue(seen, dueAtMs));
};

/** Records on its task that the provider accepted a reminder, or why it did not arrive. A task that was moved meanwhile is left alone. */
export const recordReminderOutcome = async (companyId: number, contactId: number, messageId: number): Promise<void> => {
  const [message] = await getContactMessages(companyId, [{ contactId, id: messageId }]);
  const result = message && resultOf(message);
  if (!message?.operationId || !result) return;
  const operation = parseOperation(message.operationId);
  const leadId = await getLeadIdOfTask(companyId, operation.taskId);
  const task = leadId === undefined ? undefined : await getStoredTask(companyId, leadId, operation.taskId);
  // what is known of the first attempt says nothing once the second was made
  const isPast = ({ reminderError, remindAt, remindedAt = 0 }: Task): boolean =>
    operation.attempt === 1 && ((reminderError !== undefined && remindAt === undefined) || message.updatedAt < remindedAt);
  const isAbout = (seen: Task): boolean => seen.dueAt === operation.dueAt && !isPast(seen);
  if (task && isAbout(task)) await recordReminderResult(task, result, isAbout);
};

/** Moves a lead whose next task fell due to the overdue ones. */
export const updateOverdueLead = async (companyId: number, leadId: number, dueAtMs: number): Promise<void> => {
  const early = dueAtMs + 1 - now();
  if (early > 0) {
    const message = { kind: 'overdue' as const, company_id: companyId, lead_id: leadId, due_at_ms: dueAtMs };
    return send(crmQueue, [{ companyId, message, delaySeconds: Math.max(1, early / 1_000) }]);
  }
  return retryOnConflict(maxWriteAttempts, async () => {
    const row = await getLeadRow(companyId, leadId);
    if (!row || row.followUp !== 1 || row.due !== dueAtMs) return undefined;
    return (await updateLeadRowToOverdue(row)) ? undefined : conflict;
  });
};

const isDue = (task: Task, dueAtMs: number): boolean => task.status === 'pending' && task.remindAt === dueAtMs;

type ReminderFailureCode = keyof typeof reminderFailures;
const reminderFailures = {
  window_closed: 'The assignee wrote more than 24 hours ago, and the company has no reminder template: choose one in its settings',
  number_missing: 'The company has no active number',
  template_not_found: 'The reminder template of the company does not exist any more',
  template_not_approved: 'The reminder template of the company is not approved',
  template_not_utility: 'The reminder template of the company is not in the category UTILITY',
  parameters: 'The reminder template has other variables than {{1}} task, {{2}} due time and {{3}} lead',
  opted_out: 'The assignee does not accept messages',
  blocked: 'The contact of the assignee is blocked',
  contact_refused: 'The contacts of the plan are used up',
} as const;

/**
 * Enqueues the reminder to the assignee's own verified number: as a text while the assignee's service window is open, otherwise by the
 * company's reminder template. Returns why it cannot be sent; undefined also where the assignee wants none.
 */
async function enqueueReminder(task: Task, remindAtMs: number): Promise<ReminderFailureCode | undefined> {
  const { companyId, assigneeId, leadId } = task;
  const [user, preference, lead, company] = await Promise.all([
    getUser(companyId, assigneeId),
    getPreference(companyId, assigneeId),
    getStoredLead(companyId, leadId),
    getCompany(companyId),
  ]);
  if (user?.status !== 'active' || !canBeReminded(preference) || !lead) return undefined;
  const attempt = isRepeatedReminder(task) ? 2 : 1;
  // equal on every delivery: both make the message's id
  const operation = { operationId: formatOperation({ companyId, taskId: task.id, dueAt: task.dueAt, attempt }), startedAt: remindAtMs };
  const { contactId, workNumber: phone } = preference;
  const asText = await queueTextInWindow(companyId, { contactId, phone, text: reminderText(task, lead.title) }, operation);
  const templateId = company?.settings.taskReminderTemplateId;
  const outcome =
    asText === 'window_closed' && templateId !== undefined
      ? await queueReminderTemplate(companyId, { phone, templateId, values: reminderValues(task, lead.title) }, operation)
      : asText;
  if (outcome !== 'queued') return outcome;
  metric('TaskReminders', 'Count', 1);
  return undefined;
}

async function queueReminderTemplate(
  companyId: number,
  { phone, templateId, values }: { phone: string; templateId: number; values: Readonly<Record<string, string>> },
  operation: { operationId: string; startedAt: number },
): Promise<'queued' | ReminderFailureCode> {
  const template = await getTemplate(companyId, templateId);
  if (isProblem(template)) return 'template_not_found';
  if (template.category !== 'UTILITY') return 'template_not_utility';
  const isNamed = template.parameterFormat === 'NAMED';
  const parameters = bodyPlaceholders(template).flatMap((name) =>
    values[name] === undefined ? [] : [{ type: 'text', text: values[name], ...(isNamed ? { parameter_name: name } : {}) }],
  );
  const components = parameters.length > 0 ? [{ type: 'body', parameters }] : [];
  return queueTemplate(companyId, { phone, name: undefined, template: { templateId, components }, requiresConsent: false }, operation);
}

/** Undefined: not known yet. */
function resultOf({ status, sentAt, error, ambiguous }: StoredMessage): ReminderResult | undefined {
  if (status === messageStatuses.failed)
    return { outcome: 'failed', code: String(error?.code ?? 'failed'), title: error?.title ?? 'Not sent', isFinal: ambiguous };
  return sentAt === undefined ? undefined : { outcome: 'accepted', at: sentAt };
}

/** Records the reminder while the task is as `isStillAbout` demands. */
function recordReminderResult(task: Task, result: ReminderResult, isStillAbout: (task: Task) => boolean): Promise<void> {
  let seen: Task | undefined = task;
  return retryOnConflict(maxWriteAttempts, async () => {
    if (!seen || !isStillAbout(seen)) return undefined;
    const written = await updateStoredTask(recordReminder(seen, result, now()));
    if (written.done) return undefined;
    seen = written.current;
    return conflict;
  });
}
