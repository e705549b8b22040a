import * as z from 'zod';
import { event } from '../../../shared/contract/event.ts';
import { timestamp } from '../../../shared/contract/fields.ts';
import type { EventActor } from '../../../shared/contract/logged-event.ts';

const ofLead = {
  lead_id: z.int().meta({ description: 'The id of the lead.' }),
  contact_id: z.int().meta({ description: 'The contact of the lead.' }),
  pipeline_id: z.int().meta({ description: 'Its pipeline.' }),
  stage_id: z.int().meta({ description: 'Its stage.' }),
  outcome: z.enum(['open', 'won', 'lost']).meta({ description: 'The outcome of the stage.' }),
  owner_id: z.int().nullable().meta({ description: 'The user who owns it, or null.' }),
};
const ofTask = {
  task_id: z.int().meta({ description: 'The id of the task.' }),
  lead_id: z.int().meta({ description: 'Its lead.' }),
  status: z.string().meta({ description: 'pending, completed or cancelled.' }),
  assignee_id: z.int().meta({ description: 'The user who is to do it.' }),
  due_at: timestamp.meta({ description: 'When it is due.' }),
};
const change = z.string().meta({ description: 'The entry of the timeline, such as stage.changed, owner.changed or task.completed.' });
const at = timestamp.meta({ description: 'When it happened.' });
const byUser = z.int().nullable().meta({ description: 'The user who did it; null: the system.' });

type By = { by: number | null };
const actorIn = ({ by }: By): EventActor => (by === null ? { kind: 'system' } : { kind: 'user', userId: by });
const ofLeadLog = (detail: By & { lead_id: number }) => ({ subject: `lead:${detail.lead_id}`, by: actorIn(detail) });
const ofTaskLog = (detail: By & { task_id: number }) => ({ subject: `task:${detail.task_id}`, by: actorIn(detail) });

export const leadCreated = event({
  name: 'lead.created',
  purpose: 'A lead was created',
  log: ofLeadLog,
  detail: z.object({ ...ofLead, by: byUser, at }).meta({ id: 'LeadCreatedEventData' }),
});

export const leadUpdated = event({
  name: 'lead.updated',
  purpose: 'A lead changed, its stage or owner among it',
  log: ofLeadLog,
  detail: z.object({ ...ofLead, change, by: byUser, at }).meta({ id: 'LeadUpdatedEventData' }),
});

export const taskCreated = event({
  name: 'task.created',
  purpose: 'A task of a lead was created',
  log: ofTaskLog,
  detail: z.object({ ...ofTask, by: byUser, at }).meta({ id: 'TaskCreatedEventData' }),
});

export const taskUpdated = event({
  name: 'task.updated',
  purpose: 'A task changed, was completed or cancelled',
  log: ofTaskLog,
  detail: z.object({ ...ofTask, change, by: byUser, at }).meta({ id: 'TaskUpdatedEventData' }),
});
