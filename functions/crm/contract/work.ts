import * as z from 'zod';
import { queue } from '../../../shared/contract/queue.ts';
import { dueWork } from '../../../shared/events/due.ts';
import { leadRowEntityName } from './stored.ts';
import { taskEntityName } from './stored-task.ts';

const company_id = z.int();

/** What the CRM does in the background, by reference. */
export const crmQueue = queue({
  name: 'crm-work',
  purpose: 'Task reminders, leads that become overdue, staff codes that came in, contacts that were renamed; by reference',
  message: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('reminder'), company_id, lead_id: z.int(), task_id: z.int(), due_at_ms: z.int() }),
    /** A reminder was accepted or refused: the message has the rest. */
    z.object({ kind: z.literal('reminded'), company_id, contact_id: z.int(), message_id: z.int() }),
    z.object({ kind: z.literal('overdue'), company_id, lead_id: z.int(), due_at_ms: z.int() }),
    z.object({ kind: z.literal('staff_code'), company_id, contact_id: z.int(), message_id: z.int() }),
    z.object({ kind: z.literal('contact'), company_id, contact_id: z.int() }),
  ]),
  workSeconds: 30,
  maxReceives: 8,
});

/** A task's reminder; the reference is `company:lead:task`. */
export const dueReminder = dueWork({
  name: taskEntityName,
  purpose: 'A task whose assignee is to be reminded',
  queue: crmQueue,
  companyOf: (reference) => parts(reference)[0],
  message: (reference, dueAtMs) => {
    const [company_id, lead_id, task_id] = parts(reference);
    return { kind: 'reminder' as const, company_id, lead_id, task_id, due_at_ms: dueAtMs };
  },
});

/** A lead whose next task falls due; the reference is `company:lead`. */
export const dueFollowUp = dueWork({
  name: leadRowEntityName,
  purpose: 'A lead whose follow-up becomes overdue',
  queue: crmQueue,
  companyOf: (reference) => parts(reference)[0],
  message: (reference, dueAtMs) => {
    const [company_id, lead_id] = parts(reference);
    return { kind: 'overdue' as const, company_id, lead_id, due_at_ms: dueAtMs };
  },
});

function parts(reference: string): [number, number, number] {
  const [a = 0, b = 0, c = 0] = reference.split(':').map(Number);
  return [a, b, c];
}
