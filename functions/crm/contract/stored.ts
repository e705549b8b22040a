import * as z from 'zod';
import { projectionTarget } from '../../../shared/events/react.ts';
import { storedActivity } from './stored-activity.ts';
import { taskItem } from './stored-task.ts';

/** The rows that projections write. */

export const leadRowEntityName = 'lead-row';
export const taskRowEntityName = 'task-row';

const projectionFields = { rev: z.int().default(0), checkpoints: z.record(z.string(), z.string()).default({}) };

export const storedActivityRow = z.object({ companyId: z.int(), leadId: z.int(), entry: storedActivity, ...projectionFields });
export type ActivityRow = z.output<typeof storedActivityRow>;
export const activityTarget = projectionTarget<{ companyId: number; leadId: number; k: string }, ActivityRow>('activity');

/** A lead in few bytes, in the list of its cell: stage, owner and follow-up. Owner 0: none. */
export const storedLeadRow = z.object({
  companyId: z.int(),
  id: z.int(),
  pipelineId: z.int(),
  stageId: z.int(),
  ownerId: z.int(),
  updatedAt: z.int(),
  /** 0: no task, 1: the next task is not due yet, 2: it is overdue. */
  followUp: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  /** When the next task is due, epoch milliseconds. */
  due: z.int().optional(),
  /** The row says what the lead is worth: rows of former versions do not. */
  isValued: z.literal(true).optional(),
  /** Cents of its currency. */
  value: z.tuple([z.int(), z.string()]).optional(),
  ...projectionFields,
});
export type LeadRow = z.output<typeof storedLeadRow>;
export const leadRowTarget = projectionTarget<{ companyId: number; id: number }, LeadRow>(leadRowEntityName);

/** A task in the list of its cell: status, assignee, reminded. */
export const storedTaskRow = z.object({ companyId: z.int(), id: z.int(), task: taskItem, ...projectionFields });
export type TaskRow = z.output<typeof storedTaskRow>;
export const taskRowTarget = projectionTarget<{ companyId: number; id: number }, TaskRow>(taskRowEntityName);

/** What the leads of a cell are worth together: how many of its rows say so, and cents by currency. */
export const cellValues = z.object({ rows: z.int(), sums: z.record(z.string(), z.int()) });
export type CellValues = z.output<typeof cellValues>;

/** The cells of one stage or status: the count of each, and the bound of its list (newest update, earliest due time). */
export const storedCells = z.object({
  companyId: z.int(),
  of: z.enum(['lead', 'task']),
  group: z.string(),
  cells: z.record(z.string(), z.tuple([z.int(), z.int()])),
  values: z.record(z.string(), cellValues).default({}),
  ...projectionFields,
});
export type CellsRow = z.output<typeof storedCells>;
export const cellsTarget = projectionTarget<{ companyId: number; of: 'lead' | 'task'; group: string }, CellsRow>('crm-cells');

/** The facts of 64 leads for reports, or their texts for search, packed. */
export const storedLeadPage = z.object({
  companyId: z.int(),
  of: z.enum(['facts', 'texts']),
  page: z.int(),
  packed: z.string(),
  ...projectionFields,
});
export type LeadPageRow = z.output<typeof storedLeadPage>;
export const leadPageTarget = projectionTarget<{ companyId: number; of: 'facts' | 'texts'; page: number }, LeadPageRow>('lead-page');
