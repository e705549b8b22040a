import { newActivity, laterThan, appendActivities } from './activity.ts';
import type { Stage } from './pipeline.ts';
import type { Lead, LeadSource } from '../contract/stored-lead.ts';

export interface LeadFields {
  title?: string | undefined;
  requirement?: string | null | undefined;
  ownerId?: number | null | undefined;
  valueCents?: number | null | undefined;
  currency?: string | null | undefined;
  lostReason?: string | undefined;
}

export interface NewLead extends LeadFields {
  title: string;
  contactId: number;
  pipelineId: number;
  creationKey: string;
  source: LeadSource;
}

export const newLead = (
  companyId: number,
  id: number,
  given: NewLead,
  stage: Stage,
  contactText: string,
  by: number,
  at: number,
): Lead => ({
  companyId,
  id,
  rev: 1,
  contactId: given.contactId,
  pipelineId: given.pipelineId,
  stageId: stage.id,
  outcome: stage.outcome,
  title: given.title,
  requirement: given.requirement || undefined,
  ownerId: given.ownerId ?? undefined,
  valueCents: given.valueCents ?? undefined,
  currency: given.currency ?? undefined,
  source: given.source,
  lostReason: undefined,
  version: 1,
  creationKey: given.creationKey,
  contactText,
  createdAt: at,
  updatedAt: at,
  closedAt: undefined,
  deletedAt: undefined,
  stageHistory: [[stage.id, at]],
  pending: [],
  nextTitle: undefined,
  noteCount: 0,
  log: [newActivity('lead.created', by, at, { leadId: id, record: 'lead', version: 1 }, { stage_id: stage.id, source: given.source })],
});

/** Changes the given fields, with one timeline entry; undefined when nothing changes, so that version and time stay. */
export const editLead = (lead: Lead, fields: LeadFields, by: number, now: number): Lead | undefined => {
  const next: Lead = {
    ...lead,
    title: fields.title ?? lead.title,
    requirement: fields.requirement === undefined ? lead.requirement : fields.requirement || undefined,
    ownerId: fields.ownerId === undefined ? lead.ownerId : (fields.ownerId ?? undefined),
    valueCents: fields.valueCents === undefined ? lead.valueCents : (fields.valueCents ?? undefined),
    currency: fields.currency === undefined ? lead.currency : (fields.currency ?? undefined),
    lostReason: fields.lostReason ?? lead.lostReason,
  };
  const changes = differences(lead, next);
  const names = Object.keys(changes);
  if (names.length === 0) return undefined;
  const owner = changes['owner_id'];
  return owner && names.length === 1
    ? changed(lead, next, by, now, 'owner.changed', () => owner)
    : changed(lead, next, by, now, 'lead.updated', () => ({ changes }));
};

/** Moves a lead to a stage, also of another pipeline; its outcome closes or reopens the lead. Undefined when the lead is already there. */
export const moveToStage = (
  lead: Lead,
  from: Stage | undefined,
  to: Stage & { pipelineId?: number },
  lostReason: string | undefined,
  by: number,
  now: number,
): Lead | undefined => {
  if (lead.stageId === to.id) return undefined;
  const at = laterThan(lead.updatedAt, now);
  const enteredAt = lead.stageHistory.at(-1)?.[1] ?? lead.createdAt;
  const next: Lead = {
    ...lead,
    pipelineId: to.pipelineId ?? lead.pipelineId,
    stageId: to.id,
    outcome: to.outcome,
    lostReason: to.outcome === 'lost' ? lostReason : undefined,
    closedAt: to.outcome === 'open' ? undefined : at,
    stageHistory: [...lead.stageHistory, [to.id, at] as const].slice(-maxStays),
  };
  return changed(lead, next, by, now, 'stage.changed', () => ({
    from: lead.stageId,
    to: to.id,
    from_name: from?.name ?? null,
    to_name: to.name,
    ...(next.pipelineId === lead.pipelineId ? {} : { from_pipeline: lead.pipelineId, to_pipeline: next.pipelineId }),
    seconds_in_stage: Math.floor((at - enteredAt) / 1_000),
    ...(next.lostReason === undefined ? {} : { lost_reason: next.lostReason }),
    ...(lead.lostReason === undefined ? {} : { former_lost_reason: lead.lostReason }),
  }));
};

/** Its place in lists and reports is kept: restored, it is in the stage where it was. */
export const deletedLead = (lead: Lead, by: number, now: number): Lead =>
  changed(lead, { ...lead, deletedAt: laterThan(lead.updatedAt, now) }, by, now, 'lead.deleted', () => ({}));

export const restoredLead = (lead: Lead, by: number, now: number): Lead =>
  changed(lead, { ...lead, deletedAt: undefined }, by, now, 'lead.restored', () => ({}));

/** A lead's item, and the page of its facts, store its latest stays in stages; its timeline has all of them. */
export const maxStays = 200;

/** A lead's item stores its pending tasks; this limit bounds its write units. */
export const maxPendingTasks = 500;

/** Sets the pending tasks, sorted by due time, and the title of the next one. The caller's version stays. */
export const withPending = (lead: Lead, pending: Lead['pending'], titleOf: (taskId: number) => string | undefined): Lead => {
  const sorted = pending.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  const next = sorted[0];
  return { ...lead, rev: lead.rev + 1, pending: sorted, nextTitle: next && titleOf(next[1]) };
};

export const withNote = (lead: Lead): Lead => ({ ...lead, rev: lead.rev + 1, noteCount: lead.noteCount + 1 });

/** The lead after one of its notes was deleted; the note's own timeline entries are copied already, so the lead has this one. */
export const withoutNote = (lead: Lead, noteId: number, by: number, at: number): Lead => {
  const entry = newActivity('note.deleted', by, at, { leadId: lead.id, record: `note${noteId}`, version: 999_999 }, { note_id: noteId });
  return { ...lead, rev: lead.rev + 1, noteCount: Math.max(0, lead.noteCount - 1), log: appendActivities(lead.log, [entry], at) };
};

/** The follow-up at a time: 0 no task, 1 the next task is not due yet, 2 it is overdue. */
export const followUpOf = ({ pending }: Pick<Lead, 'pending'>, now: number): 0 | 1 | 2 => {
  const next = pending[0];
  if (!next) return 0;
  return next[0] < now ? 2 : 1;
};

export const overdueCount = ({ pending }: Pick<Lead, 'pending'>, now: number): number => pending.filter(([due]) => due < now).length;

/** The order of lead lists: latest change first. */
export const compareLatestFirst = (a: { updatedAt: number; id: number }, b: { updatedAt: number; id: number }): number =>
  b.updatedAt - a.updatedAt || b.id - a.id;

export const amountOf = (cents: number | undefined): number | null => (cents === undefined ? null : cents / 100);

function changed(
  lead: Lead,
  next: Lead,
  by: number,
  now: number,
  type: 'owner.changed' | 'lead.updated' | 'lead.deleted' | 'lead.restored' | 'stage.changed',
  data: () => Record<string, unknown>,
): Lead {
  const at = laterThan(lead.updatedAt, now);
  const version = lead.version + 1;
  const entry = newActivity(type, by, at, { leadId: lead.id, record: 'lead', version }, data());
  return { ...next, rev: lead.rev + 1, version, updatedAt: at, log: appendActivities(lead.log, [entry], at) };
}

/** The changed fields with the API's names and values. */
function differences(before: Lead, after: Lead): Record<string, { from: unknown; to: unknown }> {
  const shown = (lead: Lead): Record<string, unknown> => ({
    title: lead.title,
    requirement: lead.requirement ?? null,
    owner_id: lead.ownerId ?? null,
    value: amountOf(lead.valueCents),
    currency: lead.currency ?? null,
    lost_reason: lead.lostReason ?? null,
  });
  const [was, is] = [shown(before), shown(after)];
  return Object.fromEntries(
    Object.keys(is)
      .filter((name) => was[name] !== is[name])
      .map((name) => [name, { from: was[name], to: is[name] }]),
  );
}
