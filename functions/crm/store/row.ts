import { all, equals } from '../../../shared/table/condition.ts';
import { dueKeys } from '../../../shared/table/due.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';
import {
  type CellsRow,
  type LeadPageRow,
  type LeadRow,
  leadRowEntityName,
  storedCells,
  storedLeadPage,
  storedLeadRow,
  storedTaskRow,
  taskRowEntityName,
} from '../contract/stored.ts';
import { type Task, toTask } from '../contract/stored-task.ts';
import { leadCellKey, taskCellKey } from '../domain/cell.ts';
import { leadPageShards } from '../domain/lead-page.ts';
import { leadListKey, leadPartition, type LeadPosition, listRangeBelow } from './lead.ts';
import { type ListReader, readList } from './ordered-list.ts';
import { type DueRange, taskListKey, withinRange } from './task.ts';

/** Projections of leads and tasks, so that filters, counts, search and reports need not read them all. */

const leadCellPartition = (companyId: number, group: string, cell: string): string => `${tenant(companyId)}#LDX#${group}#${cell}`;
const taskCellPartition = (companyId: number, group: string, cell: string): string => `${tenant(companyId)}#TKX#${group}#${cell}`;

export const leadRowEntity = entity({
  name: leadRowEntityName,
  purpose: 'A lead in few bytes, in the list of its cell (stage, owner, follow-up); due when its next task is',
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
  personalData: 'texts about a contact',
  example: { pk: 'C#<company>#TK#<task>', sk: 'ROW' },
});

export const cellsEntity = entity({
  name: 'crm-cells',
  purpose: 'The counts of cells of leads (by stage) or tasks (by status), and the bounds of their lists',
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
  name: 'lead-page',
  purpose: '64 leads packed: their facts for reports, or their texts for search',
  attributes: storedLeadPage,
  key: ({ companyId, of, page }: { companyId: number; of: 'facts' | 'texts'; page: number }) => ({
    pk: leadPagePartition(companyId, of, page % leadPageShards),
    sk: sortable(page),
  }),
  idOf: ({ companyId, of, page }) => ({ companyId, of, page }),
  personalData: 'texts about a contact, its name and phone',
  example: { pk: 'C#<company>#LDB#<facts or texts>#<shard>', sk: '<page, 16 digits>' },
});

export const getLeadRow = pattern(
  { question: "a lead's row", entity: 'lead-row', by: 'GetItem', units: '1 RRU' },
  (companyId: number, id: number): Promise<LeadRow | undefined> => leadRowEntity.get({ companyId, id }, { consistent: true }),
);

/** Moves the row to the overdue cell; false when a projection changed it since it was read. */
export const updateLeadRowToOverdue = pattern(
  { question: 'move a lead to the overdue ones', entity: 'lead-row', by: 'UpdateItem', units: '4 WRU' },
  async (row: LeadRow): Promise<boolean> => {
    const set = { followUp: 2, rev: row.rev + 1 } as const;
    return (await leadRowEntity.update(row, { set }, all(equals('rev', row.rev), equals('followUp', 1)))).done;
  },
);

export const listCells = pattern(
  {
    question: 'the cells of leads or tasks with their counts',
    entity: 'crm-cells',
    by: 'Query',
    units: '0.5 RRU per 4 KB, about 200 cells',
  },
  (companyId: number, of: 'lead' | 'task'): Promise<CellsRow[]> =>
    cellsEntity.collect({ pk: cellsEntity.key({ companyId, of, group: '' }).pk }),
);

export const listLeadCell = pattern(
  { question: 'leads of a cell by last change', entity: 'lead-row', by: 'Query', index: 'list', units: '0.5 RRU for about 16' },
  (companyId: number, group: string, cell: string, after: LeadPosition | undefined): Promise<ListReader<LeadRow>> =>
    Promise.resolve(readList(leadRowEntity, listRangeBelow(leadCellPartition(companyId, group, cell), after), (row) => row)),
);

export const listTaskCell = pattern(
  { question: 'tasks of a cell by due time', entity: 'task-row', by: 'Query', index: 'list', units: '0.5 RRU for about 8' },
  (companyId: number, group: string, cell: string, range: DueRange): Promise<ListReader<Task>> =>
    Promise.resolve(readList(taskRowEntity, withinRange(taskCellPartition(companyId, group, cell), range), ({ task }) => toTask(task))),
);

export const listLeadPages = pattern(
  { question: 'facts or texts of all leads', entity: 'lead-page', by: 'Query', units: '0.5 RRU per 4 KB, 8 partitions in parallel' },
  async (companyId: number, of: 'facts' | 'texts'): Promise<LeadPageRow[]> => {
    const shards = Array.from({ length: leadPageShards }, (_, shard) =>
      leadPageEntity.collect({ pk: leadPagePartition(companyId, of, shard) }),
    );
    return (await Promise.all(shards)).flat();
  },
);
