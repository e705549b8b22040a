import * as z from 'zod';
import { othersOf } from '../../../shared/table/other-versions.ts';
import { type Activity, storedActivity } from './stored-activity.ts';

export const leadEntityName = 'lead';
export const leadSources = ['manual', 'api', 'whatsapp', 'campaign', 'shop', 'import'] as const;
export type LeadSource = (typeof leadSources)[number];

export type StageOutcome = 'open' | 'won' | 'lost';

/** A lead. Absent values are undefined; times are epoch milliseconds. */
export interface Lead {
  companyId: number;
  id: number;
  /** Incremented by every write, also of tasks and notes; the condition of the next write. */
  rev: number;
  contactId: number;
  pipelineId: number;
  stageId: number;
  outcome: StageOutcome;
  title: string;
  requirement: string | undefined;
  ownerId: number | undefined;
  valueCents: number | undefined;
  currency: string | undefined;
  source: LeadSource;
  lostReason: string | undefined;
  /** Incremented by changes of the lead itself; the version that callers send. */
  version: number;
  creationKey: string;
  contactText: string;
  createdAt: number;
  updatedAt: number;
  closedAt: number | undefined;
  /** A deleted lead is in no list and no report until it is restored. */
  deletedAt: number | undefined;
  stageHistory: readonly (readonly [stageId: number, enteredAt: number])[];
  /** Pending tasks, the next one first. */
  pending: readonly (readonly [dueAt: number, taskId: number])[];
  nextTitle: string | undefined;
  noteCount: number;
  log: readonly Activity[];
}

/**
 * A lead as DynamoDB stores it. Each write is priced by the size of the item, so names are short and defaults are not stored; only
 * `toLead` and `toLeadItem` use these names.
 */
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
  /** The contact's name and phone, for search. */
  cx: z.string().optional(),
  /** Created, updated, closed: epoch milliseconds. */
  at: z.int(),
  up: z.int(),
  cl: z.int().optional(),
  /** Deleted: epoch milliseconds. */
  de: z.int().optional(),
  /** The stage history: every stage that the lead entered, with the time; the last one is its current stage. */
  st: z.array(z.tuple([z.int(), z.int()])),
  /** Pending tasks: due time and id, the next one first; and the next one's title. */
  pt: z.array(z.tuple([z.int(), z.int()])).optional(),
  nt: z.string().optional(),
  /** The number of notes. */
  nn: z.int().optional(),
  /** The newest entries of the timeline, which the change stream may not have copied yet. */
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
  deletedAt: item.de,
  stageHistory: item.st,
  pending: item.pt ?? [],
  nextTitle: item.nt,
  noteCount: item.nn ?? 0,
  log: item.lg ?? [],
  ...othersOf(item),
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
  de: lead.deletedAt,
  st: lead.stageHistory.map(([stage, at]): [number, number] => [stage, at]),
  pt: lead.pending.length > 0 ? lead.pending.map(([due, id]): [number, number] => [due, id]) : undefined,
  nt: lead.nextTitle,
  nn: lead.noteCount || undefined,
  lg: lead.log.length > 0 ? [...lead.log] : undefined,
  ...othersOf(lead),
});

/** A stored lead, parsed, for reactions. */
export const storedLead = leadItem.transform(toLead);
