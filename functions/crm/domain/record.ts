import { isoTime } from '../../../shared/runtime/clock.ts';
import type { ActivityRecord, LeadListRecord, LeadRecord } from '../contract/lead.ts';
import type { PipelineRecord } from '../contract/pipeline.ts';
import type { TaskRecord } from '../contract/task.ts';
import { activityAt } from './activity.ts';
import { amountOf, overdueCount } from './lead.ts';
import { firstStage, type Pipeline, type Stage } from './pipeline.ts';
import { isOverdue } from './task.ts';
import type { Activity } from '../contract/stored-activity.ts';
import type { Lead } from '../contract/stored-lead.ts';
import type { Task } from '../contract/stored-task.ts';

/** Pipelines and team members by id, for the names in records. */
export interface RecordNames {
  pipelines: ReadonlyMap<number, Pipeline>;
  people: ReadonlyMap<number, string>;
}

export const findStage = (pipelines: ReadonlyMap<number, Pipeline>, lead: Pick<Lead, 'pipelineId' | 'stageId'>): Stage | undefined =>
  pipelines.get(lead.pipelineId)?.stages.find(({ id }) => id === lead.stageId);

export const toPipelineRecord = (pipeline: Pipeline): PipelineRecord => {
  const first = firstStage(pipeline)?.id;
  return {
    id: pipeline.id,
    name: pipeline.name,
    is_active: pipeline.isActive,
    stages: pipeline.stages.map(({ id, name, outcome, isArchived }, index) => ({
      id,
      name,
      outcome,
      order: index + 1,
      is_default: id === first,
      is_archived: isArchived === true,
    })),
    created_at: isoTime(pipeline.createdAt),
    updated_at: isoTime(pipeline.updatedAt),
  };
};

export const toLeadListRecord = (lead: Lead, names: RecordNames, now: number): LeadListRecord => {
  const pipeline = names.pipelines.get(lead.pipelineId);
  const stage = findStage(names.pipelines, lead);
  const next = lead.pending[0];
  return {
    id: lead.id,
    contact_id: lead.contactId,
    pipeline_id: lead.pipelineId,
    pipeline: pipeline ? { id: pipeline.id, name: pipeline.name } : null,
    stage_id: lead.stageId,
    stage: stage ? { id: stage.id, name: stage.name, outcome: stage.outcome } : null,
    title: lead.title,
    requirement: lead.requirement ?? null,
    owner_id: lead.ownerId ?? null,
    owner: toReference(lead.ownerId, names.people),
    value: amountOf(lead.valueCents),
    currency: lead.currency ?? null,
    source: lead.source,
    outcome: lead.outcome,
    lost_reason: lead.lostReason ?? null,
    version: lead.version,
    creation_key: lead.creationKey,
    next_action: next ? { task_id: next[1], title: lead.nextTitle ?? '', due_at: isoTime(next[0]) } : null,
    pending_tasks_count: lead.pending.length,
    overdue_tasks_count: overdueCount(lead, now),
    closed_at: time(lead.closedAt),
    stage_entered_at: isoTime(lead.stageHistory.at(-1)?.[1] ?? lead.createdAt),
    created_at: isoTime(lead.createdAt),
    updated_at: isoTime(lead.updatedAt),
  };
};

export const toLeadRecord = (lead: Lead, names: RecordNames, contact: LeadRecord['contact'], now: number): LeadRecord => ({
  ...toLeadListRecord(lead, names, now),
  contact,
});

export const toTaskRecord = (task: Task, leadTitle: string | undefined, people: RecordNames['people'], now: number): TaskRecord => ({
  id: task.id,
  lead_id: task.leadId,
  lead: leadTitle === undefined ? null : { id: task.leadId, title: leadTitle },
  title: task.title,
  due_at: isoTime(task.dueAt),
  timezone: task.timezone,
  assignee_id: task.assigneeId,
  assignee: toReference(task.assigneeId, people),
  status: task.status,
  is_overdue: isOverdue(task, now),
  reminded_at: time(task.remindedAt),
  reminder_error: task.reminderError ?? null,
  outcome_notes: task.outcomeNotes ?? null,
  cancellation_reason: task.cancellationReason ?? null,
  completed_at: task.status === 'completed' ? time(task.closedAt) : null,
  cancelled_at: task.status === 'cancelled' ? time(task.closedAt) : null,
  version: task.version,
  created_by: task.createdBy,
  created_at: isoTime(task.createdAt),
  updated_at: isoTime(task.updatedAt),
});

export const toActivityRecord = (entry: Activity, people: RecordNames['people']): ActivityRecord => ({
  id: entry.i,
  type: entry.t,
  actor: entry.by === 0 ? { type: 'system', id: null, name: null } : { type: 'user', id: entry.by, name: people.get(entry.by) ?? null },
  data: entry.d,
  created_at: isoTime(activityAt(entry)),
});

export const toReference = (id: number | undefined, people: RecordNames['people']): { id: number; name: string } | null =>
  id === undefined ? null : { id, name: people.get(id) ?? '' };

const time = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms));
