import type { CellsRow, LeadRow } from '../contract/stored.ts';
import { followUpOf, type Lead } from './lead.ts';
import type { Task } from './task.ts';

/**
 * Cells: every enquiry is in one list of those with the same stage, owner and follow-up, every task in one of those with the same
 * status, assignee and reminder. Any combination of filters is a set of cells, so that a page reads what it shows and little more.
 */
export interface CellKey {
  /** One row of counts: a stage (with its pipeline), or a status. */
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

/** The row of an enquiry as it is at a time, epoch ms. */
export const toLeadRow = (lead: Lead, at: number): Omit<LeadRow, 'rev' | 'checkpoints'> => {
  const due = lead.pending[0]?.[0];
  return {
    companyId: lead.companyId,
    id: lead.id,
    pipelineId: lead.pipelineId,
    stageId: lead.stageId,
    ownerId: lead.ownerId ?? 0,
    updatedAt: lead.updatedAt,
    followUp: followUpOf(lead, at),
    ...(due === undefined ? {} : { due }),
  };
};

/** One more or one less in a cell. `reach`: how far its list goes at most; `further` says which of two goes further. */
export const applyCellMoves = (
  row: CellsRow | undefined,
  id: Pick<CellsRow, 'companyId' | 'of' | 'group'>,
  moves: readonly { cell: string; by: 1 | -1; reach: number }[],
  further: (a: number, b: number) => number,
): CellsRow => {
  const cells = { ...row?.cells };
  for (const { cell, by, reach } of moves) {
    const [count, held] = cells[cell] ?? [0, reach];
    if (count + by <= 0) delete cells[cell];
    else cells[cell] = [count + by, by > 0 ? further(held, reach) : held];
  }
  return { ...id, rev: row?.rev ?? 0, checkpoints: row?.checkpoints ?? {}, cells };
};

/** A cell as it is counted: its place, how many, how far its list reaches. */
export interface CountedCell extends CellKey {
  count: number;
  reach: number;
}

export const toCountedCells = (rows: readonly CellsRow[]): CountedCell[] =>
  rows.flatMap(({ group, cells }) => Object.entries(cells).map(([cell, [count, reach]]) => ({ group, cell, count, reach })));

/** The numbers of which a cell's name is made. */
export const cellParts = (cell: string): [number, number] => {
  const [first = 0, second = 0] = cell.split(':').map(Number);
  return [first, second];
};
