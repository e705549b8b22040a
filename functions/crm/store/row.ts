import { all, equals } from '../../../shared/table/condition.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import {
  type LeadPageRow,
  type CellsRow,
  type LeadRow,
  leadRowEntityName,
  storedLeadPage,
  storedCells,
  storedLeadRow,
  storedTaskRow,
  taskRowEntityName,
  toTask,
} from '../contract/stored.ts';
import { leadPageShards } from '../domain/lead-page.ts';
import { leadCellKey, taskCellKey } from '../domain/cell.ts';
import type { Task } from '../domain/task.ts';
import { listRangeBelow, leadListKey, leadPartition, type LeadPosition } from './lead.ts';
import { type DueRange, taskListKey, withinRange } from './task.ts';
import { readList, type ListReader } from './ordered-list.ts';

/** Rows that the change stream folds from enquiries and tasks, so that filters, counts, search and reports need not read them all. */

const leadCellPartition = (companyId: number, group: string, cell: string): string => `${tenant(companyId)}#LDX#${group}#${cell}`;
const taskCellPartition = (companyId: number, group: string, cell: string): string => `${tenant(companyId)}#TKX#${group}#${cell}`;

export const leadRowEntity = entity({
  name: leadRowEntityName,
  purpose: 'An enquiry in few bytes, in the list of its cell (stage, owner, follow-up); due when its next task is',
  attributes: storedLeadRow,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: leadPartition(companyId, id), sk: 'ROW' }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  indexedBy: ['companyId', 'id', 'pipelineId', 'stageId', 'ownerId', 'followUp', 'updatedAt', 'due'],
  indexes: (row) => {
    const { group, cell } = leadCellKey(row);
    return {
      list: { pk: leadCellPartition(row.companyId, group, cell), sk: leadListKey(row) },
      due: row.followUp === 1 && row.due !== undefined ? dueKeys(row.due, leadRowEntityName, `${row.companyId}:${row.id}`) : undefined,
    };
  },
  example: { pk: 'C#<company>#LD#<lead>', sk: 'ROW' },
});

export const taskRowEntity = entity({
  name: taskRowEntityName,
  purpose: 'A task in the list of its cell (status, assignee, reminded)',
  attributes: storedTaskRow,
  key: ({ companyId, id }: { companyId: number; id: number }) => ({ pk: `${tenant(companyId)}#TK#${id}`, sk: 'ROW' }),
  idOf: ({ companyId, id }) => ({ companyId, id }),
  indexedBy: ['companyId', 'id', 'task'],
  indexes: ({ companyId, task }) => {
    const { group, cell } = taskCellKey(toTask(task));
    return { list: { pk: taskCellPartition(companyId, group, cell), sk: taskListKey({ dueAt: task.du, id: task.i }) } };
  },
  example: { pk: 'C#<company>#TK#<task>', sk: 'ROW' },
});

export const cellsEntity = entity({
  name: 'crm-cells',
  purpose: 'How many enquiries (by stage) or tasks (by status) each cell has, and how far its list reaches',
  attributes: storedCells,
  key: ({ companyId, of, group }: { companyId: number; of: 'lead' | 'task'; group: string }) => ({
    pk: `${tenant(companyId)}#CELLS#${of}`,
    sk: group,
  }),
  idOf: ({ companyId, of, group }) => ({ companyId, of, group }),
  example: { pk: 'C#<company>#CELLS#<lead or task>', sk: '<pipeline:stage, or status>' },
});

const leadPagePartition = (companyId: number, of: 'facts' | 'texts', shard: number): string => `${tenant(companyId)}#LDB#${of}#${shard}`;

export const leadPageEntity = entity({
  name: 'lead-block',
  purpose: '64 enquiries packed: their facts for reports, or their texts for the search',
  attributes: storedLeadPage,
  key: ({ companyId, of, block }: { companyId: number; of: 'facts' | 'texts'; block: number }) => ({
    pk: leadPagePartition(companyId, of, block % leadPageShards),
    sk: sortable(block),
  }),
  idOf: ({ companyId, of, block }) => ({ companyId, of, block }),
  example: { pk: 'C#<company>#LDB#<facts or texts>#<shard>', sk: '<block, 16 digits>' },
});

export const getLeadRow = pattern(
  { question: "an enquiry's row", entity: 'lead-row', by: 'GetItem', units: '1 RRU' },
  (companyId: number, id: number): Promise<LeadRow | undefined> => leadRowEntity.get({ companyId, id }, { consistent: true }),
);

/** The row goes to the list of the overdue; refused when the stream folded a change into it meanwhile. */
export const updateLeadRowToOverdue = pattern(
  { question: 'an enquiry becomes overdue', entity: 'lead-row', by: 'UpdateItem', units: '4 WRU' },
  async (row: LeadRow): Promise<boolean> => {
    const set = { followUp: 2, rev: row.rev + 1 } as const;
    return (await leadRowEntity.update(row, { set }, all(equals('rev', row.rev), equals('followUp', 1)))).done;
  },
);

export const listCells = pattern(
  {
    question: 'the cells of enquiries or tasks with their counts',
    entity: 'crm-cells',
    by: 'Query',
    units: '0.5 RRU per 4 KB, about 200 cells',
  },
  async (companyId: number, of: 'lead' | 'task'): Promise<CellsRow[]> => {
    const { pk } = cellsEntity.key({ companyId, of, group: '' });
    const rows: CellsRow[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await cellsEntity.query({ pk, after });
      rows.push(...page.items);
      after = page.last;
    } while (after);
    return rows;
  },
);

export const listLeadCell = pattern(
  { question: 'enquiries of a cell by last change', entity: 'lead-row', by: 'Query', index: 'list', units: '0.5 RRU for about 16' },
  (companyId: number, group: string, cell: string, after: LeadPosition | undefined): Promise<ListReader<LeadRow>> =>
    Promise.resolve(readList(leadRowEntity, listRangeBelow(leadCellPartition(companyId, group, cell), after), (row) => row)),
);

export const listTaskCell = pattern(
  { question: 'tasks of a cell by due time', entity: 'task-row', by: 'Query', index: 'list', units: '0.5 RRU for about 8' },
  (companyId: number, group: string, cell: string, range: DueRange): Promise<ListReader<Task>> =>
    Promise.resolve(readList(taskRowEntity, withinRange(taskCellPartition(companyId, group, cell), range), ({ task }) => toTask(task))),
);

export const listLeadPages = pattern(
  { question: 'facts or texts of all enquiries', entity: 'lead-block', by: 'Query', units: '0.5 RRU per 4 KB, 8 partitions side by side' },
  async (companyId: number, of: 'facts' | 'texts'): Promise<LeadPageRow[]> =>
    (
      await Promise.all(
        Array.from({ length: leadPageShards }, async (_, shard) => {
          const rows: LeadPageRow[] = [];
          let after: Record<string, unknown> | undefined;
          do {
            const page = await leadPageEntity.query({ pk: leadPagePartition(companyId, of, shard), after });
            rows.push(...page.items);
            after = page.last;
          } while (after);
          return rows;
        }),
      )
    ).flat(),
);
