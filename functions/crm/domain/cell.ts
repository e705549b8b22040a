import type { CellsRow, CellValues, LeadRow } from '../contract/stored.ts';
import { followUpOf } from './lead.ts';
import type { Lead } from '../contract/stored-lead.ts';
import type { Task } from '../contract/stored-task.ts';

/**
 * Cells: a lead is in the list of its stage, owner and follow-up, a task in the list of its status, assignee and reminder. Any combination
 * of filters is a set of cells, so that a page reads little more than it shows; see docs/decisions/crm-lists.md.
 */
export interface CellKey {
  /** The row that counts the cell: a stage with its pipeline, or a status. */
  group: string;
  cell: string;
}

export const leadCellKey = ({
  pipelineId,
  stageId,
  ownerId,
  followUp,
}: Pick<LeadRow, 'pipelineId' | 'stageId' | 'ownerId' | 'followUp'>): CellKey => ({
  group: `${pipelineId}:${stageId}`,
  cell: `${ownerId}:${followUp}`,
});

export const taskCellKey = ({ status, assigneeId, remindedAt }: Pick<Task, 'status' | 'assigneeId' | 'remindedAt'>): CellKey => ({
  group: status,
  cell: `${assigneeId}:${remindedAt === undefined ? 0 : 1}`,
});

/** Pipeline and stage of the rows of deleted leads: a group of cells of their own. */
const deletedPlace = { pipelineId: 0, stageId: 0 };
export const deletedGroup = `${deletedPlace.pipelineId}:${deletedPlace.stageId}`;

/** The row of a lead at a time, epoch milliseconds. */
export const toLeadRow = (lead: Lead, at: number): Omit<LeadRow, 'rev' | 'checkpoints'> => {
  const due = lead.pending[0]?.[0];
  return {
    companyId: lead.companyId,
    id: lead.id,
    ...(lead.deletedAt === undefined ? { pipelineId: lead.pipelineId, stageId: lead.stageId } : deletedPlace),
    ownerId: lead.ownerId ?? 0,
    updatedAt: lead.updatedAt,
    followUp: followUpOf(lead, at),
    ...(due === undefined ? {} : { due }),
    isValued: true,
    ...(lead.valueCents === undefined || lead.currency === undefined ? {} : { value: [lead.valueCents, lead.currency] }),
  };
};

export interface CellMove {
  cell: string;
  by: 1 | -1;
  bound: number;
  /** What a lead's row says of its value. */
  worth?: Pick<LeadRow, 'isValued' | 'value'>;
}

/** Applies moves into and out of cells. `bound` limits how far a cell's list reaches (newest update, earliest due time); `further` compares two. */
export const applyCellMoves = (
  row: CellsRow | undefined,
  id: Pick<CellsRow, 'companyId' | 'of' | 'group'>,
  moves: readonly CellMove[],
  further: (a: number, b: number) => number,
): CellsRow => {
  const cells = { ...row?.cells };
  const values = { ...row?.values };
  for (const { cell, by, bound, worth } of moves) {
    const [count, stored] = cells[cell] ?? [0, bound];
    if (count + by <= 0) {
      delete cells[cell];
      delete values[cell];
      continue;
    }
    cells[cell] = [count + by, by > 0 ? further(stored, bound) : stored];
    if (worth?.isValued) values[cell] = withWorth(values[cell], by, worth.value);
  }
  return { ...id, rev: row?.rev ?? 0, checkpoints: row?.checkpoints ?? {}, cells, values };
};

/** Currencies of a cell whose sums are kept. */
export const maxCurrencies = 8;

const withWorth = (before: CellValues = { rows: 0, sums: {} }, by: 1 | -1, value: LeadRow['value']): CellValues => {
  const rows = before.rows + by;
  if (!value) return { rows, sums: before.sums };
  const [cents, currency] = value;
  // a row has a bound: with a currency more, the stage says no sums
  if (!(currency in before.sums) && Object.keys(before.sums).length >= maxCurrencies) return before;
  const { [currency]: sum = 0, ...others } = before.sums;
  return { rows, sums: sum + by * cents === 0 ? others : { ...others, [currency]: sum + by * cents } };
};

/**
 * What the leads of a stage are worth by currency, in cents: all of them, or those of an owner. Undefined where a former version wrote some
 * of them, whose rows do not say.
 */
export const worthOfStage = (row: CellsRow | undefined, ownerId: number | undefined): Map<string, number> | undefined => {
  const sums = new Map<string, number>();
  for (const [cell, [count]] of Object.entries(row?.cells ?? {})) {
    if (ownerId !== undefined && cellParts(cell)[0] !== ownerId) continue;
    const known = row?.values[cell];
    if (known?.rows !== count) return undefined;
    for (const [currency, cents] of Object.entries(known.sums)) sums.set(currency, (sums.get(currency) ?? 0) + cents);
  }
  return sums;
};

/** A cell with its count and the bound of its list. */
export interface CountedCell extends CellKey {
  count: number;
  bound: number;
}

export const toCountedCells = (rows: readonly CellsRow[]): CountedCell[] =>
  rows.flatMap(({ group, cells }) => Object.entries(cells).map(([cell, [count, bound]]) => ({ group, cell, count, bound })));

/** The two numbers in a cell's name. */
export const cellParts = (cell: string): [number, number] => {
  const [first = 0, second = 0] = cell.split(':').map(Number);
  return [first, second];
};
