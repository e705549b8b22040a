import * as z from 'zod';
import { projectionTarget } from '../../../shared/events/react.ts';
import type { Lead } from '../domain/lead.ts';
import type { Task } from '../domain/task.ts';

/**
 * What the table holds of the CRM. A lead and a task are priced by their bytes at every change, so names are short and defaults are not
 * stored; `toLead`, `toLeadItem`, `toTask` and `toTaskItem` are the only readers of these names.
 */
export const leadEntityName = 'lead';
export const taskEntityName = 'task';
export const leadRowEntityName = 'lead-row';
export const taskRowEntityName = 'task-row';

/** An entry of a lead's timeline. `k` orders it: when, then which change of what; `i` is its id. */
export const storedActivity = z.object({
  k: z.string(),
  i: z.int(),
  t: z.string(),
  /** Who: a user's id, 0 for the system. */
  by: z.int(),
  d: z.record(z.string(), z.unknown()),
});
export type Activity = z.output<typeof storedActivity>;

export const leadSources = ['manual', 'api', 'whatsapp', 'campaign', 'shop', 'import'] as const;

export const leadItem = z.object({
  /** Company, id, contact, pipeline, stage, outcome. */
  c: z.int(),
  i: z.int(),
  rev: z.int(),
  ct: z.int(),
  p: z.int(),
  s: z.int(),
  o: z.enum(['won', 'lost']).optional(),
  /** Title, requirement, owner, value in cents, currency, source, lost reason. */
  ti: z.string(),
  rq: z.string().optional(),
  ow: z.int().optional(),
  va: z.int().optional(),
  cu: z.string().optional(),
  so: z.enum(leadSources).optional(),
  lr: z.string().optional(),
  v: z.int(),
  ck: z.string(),
  /** The contact's name and phone, for the search. */
  cx: z.string().optional(),
  /** Created, updated, closed: epoch milliseconds. */
  at: z.int(),
  up: z.int(),
  cl: z.int().optional(),
  /** Every stage it entered, with the time; the last one is the stage it is in. */
  st: z.array(z.tuple([z.int(), z.int()])),
  /** Pending tasks: due time and id, the next one first; and the next one's title. */
  pt: z.array(z.tuple([z.int(), z.int()])).optional(),
  nt: z.string().optional(),
  /** How many notes. */
  nn: z.int().optional(),
  /** The youngest entries of the timeline, which the change stream may not have written out yet. */
  lg: z.array(storedActivity).optional(),
});
export type LeadItem = z.output<typeof leadItem>;

export const toLead = (item: LeadItem): Lead => ({
  companyId: item.c,
  id: item.i,
  rev: item.rev,
  contactId: item.ct,
  pipelineId: item.p,
  stageId: item.s,
  outcome: item.o ?? 'open',
  title: item.ti,
  requirement: item.rq,
  ownerId: item.ow,
  valueCents: item.va,
  currency: item.cu,
  source: item.so ?? 'api',
  lostReason: item.lr,
  version: item.v,
  creationKey: item.ck,
  contactText: item.cx ?? '',
  createdAt: item.at,
  updatedAt: item.up,
  closedAt: item.cl,
  stageHistory: item.st,
  pending: item.pt ?? [],
  nextTitle: item.nt,
  noteCount: item.nn ?? 0,
  log: item.lg ?? [],
});

export const toLeadItem = (lead: Lead): LeadItem => ({
  c: lead.companyId,
  i: lead.id,
  rev: lead.rev,
  ct: lead.contactId,
  p: lead.pipelineId,
  s: lead.stageId,
  o: lead.outcome === 'open' ? undefined : lead.outcome,
  ti: lead.title,
  rq: lead.requirement,
  ow: lead.ownerId,
  va: lead.valueCents,
  cu: lead.currency,
  so: lead.source === 'api' ? undefined : lead.source,
  lr: lead.lostReason,
  v: lead.version,
  ck: lead.creationKey,
  cx: lead.contactText || undefined,
  at: lead.createdAt,
  up: lead.updatedAt,
  cl: lead.closedAt,
  st: lead.stageHistory.map(([stage, at]): [number, number] => [stage, at]),
  pt: lead.pending.length > 0 ? lead.pending.map(([due, id]): [number, number] => [due, id]) : undefined,
  nt: lead.nextTitle,
  nn: lead.noteCount || undefined,
  lg: lead.log.length > 0 ? [...lead.log] : undefined,
});

export const taskStatuses = ['pending', 'completed', 'cancelled'] as const;

export const taskItem = z.object({
  /** Company, lead, id. */
  c: z.int(),
  l: z.int(),
  i: z.int(),
  rev: z.int(),
  ti: z.string(),
  /** Due, epoch milliseconds; zone; assignee; status. */
  du: z.int(),
  tz: z.string(),
  as: z.int(),
  s: z.enum(taskStatuses),
  v: z.int(),
  /** When the reminder of this due time went out; when it is to go out (both epoch ms). */
  rm: z.int().optional(),
  ra: z.int().optional(),
  on: z.string().optional(),
  cr: z.string().optional(),
  /** Completed or cancelled. */
  cl: z.int().optional(),
  by: z.int(),
  at: z.int(),
  up: z.int(),
  lg: z.array(storedActivity).optional(),
});
export type TaskItem = z.output<typeof taskItem>;

export const toTask = (item: TaskItem): Task => ({
  companyId: item.c,
  leadId: item.l,
  id: item.i,
  rev: item.rev,
  title: item.ti,
  dueAt: item.du,
  timezone: item.tz,
  assigneeId: item.as,
  status: item.s,
  version: item.v,
  remindedAt: item.rm,
  remindAt: item.ra,
  outcomeNotes: item.on,
  cancellationReason: item.cr,
  closedAt: item.cl,
  createdBy: item.by,
  createdAt: item.at,
  updatedAt: item.up,
  log: item.lg ?? [],
});

export const toTaskItem = (task: Task): TaskItem => ({
  c: task.companyId,
  l: task.leadId,
  i: task.id,
  rev: task.rev,
  ti: task.title,
  du: task.dueAt,
  tz: task.timezone,
  as: task.assigneeId,
  s: task.status,
  v: task.version,
  rm: task.remindedAt,
  ra: task.remindAt,
  on: task.outcomeNotes,
  cr: task.cancellationReason,
  cl: task.closedAt,
  by: task.createdBy,
  at: task.createdAt,
  up: task.updatedAt,
  lg: task.log.length > 0 ? [...task.log] : undefined,
});

/** Stored items, parsed, for reactions. */
export const storedLead = leadItem.transform(toLead);
export const storedTask = taskItem.transform(toTask);

// ---- rows that the change stream folds ---------------------------------------------------------------------------------------------

const projectionFields = { rev: z.int().default(0), checkpoints: z.record(z.string(), z.string()).default({}) };

export const storedActivityRow = z.object({ companyId: z.int(), leadId: z.int(), entry: storedActivity, ...projectionFields });
export type ActivityRow = z.output<typeof storedActivityRow>;
export const activityTarget = projectionTarget<{ companyId: number; leadId: number; k: string }, ActivityRow>('activity');

/** A lead in few bytes, in the list of its cell: stage, owner and follow-up. 0: no owner. */
export const storedLeadRow = z.object({
  companyId: z.int(),
  id: z.int(),
  pipelineId: z.int(),
  stageId: z.int(),
  ownerId: z.int(),
  updatedAt: z.int(),
  /** 0: nothing to do, 1: the next task lies ahead, 2: it is overdue. */
  followUp: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  /** When the next task is due, epoch ms. */
  due: z.int().optional(),
  ...projectionFields,
});
export type LeadRow = z.output<typeof storedLeadRow>;
export const leadRowTarget = projectionTarget<{ companyId: number; id: number }, LeadRow>(leadRowEntityName);

/** A task in the list of its cell: status, assignee, reminded. */
export const storedTaskRow = z.object({ companyId: z.int(), id: z.int(), task: taskItem, ...projectionFields });
export type TaskRow = z.output<typeof storedTaskRow>;
export const taskRowTarget = projectionTarget<{ companyId: number; id: number }, TaskRow>(taskRowEntityName);

/** Cells of one stage, or of one status: how many are in each, and how far its list can reach at most (newest update, earliest due). */
export const storedCells = z.object({
  companyId: z.int(),
  of: z.enum(['lead', 'task']),
  group: z.string(),
  cells: z.record(z.string(), z.tuple([z.int(), z.int()])),
  ...projectionFields,
});
export type CellsRow = z.output<typeof storedCells>;
export const cellsTarget = projectionTarget<{ companyId: number; of: 'lead' | 'task'; group: string }, CellsRow>('crm-cells');

/** 64 leads' facts for reports, or 64 leads' texts for the search, packed. */
export const storedLeadPage = z.object({
  companyId: z.int(),
  of: z.enum(['facts', 'texts']),
  block: z.int(),
  packed: z.string(),
  ...projectionFields,
});
export type LeadPageRow = z.output<typeof storedLeadPage>;
export const leadPageTarget = projectionTarget<{ companyId: number; of: 'facts' | 'texts'; block: number }, LeadPageRow>('lead-block');
