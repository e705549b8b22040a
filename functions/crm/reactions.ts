import { type Consequence, addToCounter, type Projection, project, message, reaction } from '../../shared/events/react.ts';
import { contactEntityName, storedContact, type StoredContact } from '../contacts/contract/stored.ts';
import { messageEntityName, storedMessage, type StoredMessage } from '../messaging/contract/stored.ts';
import {
  type Activity,
  activityTarget,
  leadPageTarget,
  cellsTarget,
  leadEntityName,
  type LeadRow,
  leadRowEntityName,
  leadRowTarget,
  storedLead,
  storedLeadRow,
  storedTask,
  storedTaskRow,
  taskEntityName,
  type TaskRow,
  taskRowEntityName,
  taskRowTarget,
  toTask,
  toTaskItem,
} from './contract/stored.ts';
import { type Note, noteEntityName, storedNote } from './contract/stored-note.ts';
import { crmQueue } from './contract/work.ts';
import { newEntries } from './domain/activity.ts';
import { leadPageOf, encodeFacts, toLeadFacts, searchText, setEntry } from './domain/lead-page.ts';
import { applyCellMoves, leadCellKey, toLeadRow, type CellKey, taskCellKey } from './domain/cell.ts';
import type { Lead } from './domain/lead.ts';
import { looksLikeCode } from './domain/preference.ts';
import type { Task } from './domain/task.ts';

/**
 * What follows from the CRM's changes: timelines are written out, enquiries and tasks get their rows, rows their counts, blocks their
 * entries. From elsewhere: a renamed contact is looked up for the search, eight digits that came in may be a staff code.
 */
export const crmReactions = [
  reaction<Lead>({ name: leadEntityName, parse: (raw) => storedLead.parse(raw) }, ({ before, after, writtenAt }) => {
    if (!after) return [];
    const { companyId, id } = after;
    const at = Math.max(writtenAt, after.updatedAt);
    const consequences: Consequence[] = entriesOf(companyId, id, before?.log, after.log);
    const isMoved = (['stageId', 'ownerId', 'updatedAt'] as const).some((field) => before?.[field] !== after[field]);
    if (isMoved || before?.pending[0]?.[0] !== after.pending[0]?.[0])
      consequences.push(
        project(leadRowTarget, { companyId, id }, (row) => ({
          ...toLeadRow(after, at),
          rev: row?.rev ?? 0,
          checkpoints: row?.checkpoints ?? {},
        })),
      );
    const facts = encodeFacts(toLeadFacts(after));
    if (!before || encodeFacts(toLeadFacts(before)) !== facts) consequences.push(blockFold(companyId, 'facts', id, facts));
    const text = searchText(after);
    if (!before || searchText(before) !== text) consequences.push(blockFold(companyId, 'texts', id, text));
    if (!before) consequences.push(addToCounter(companyId, leadEntityName, 1));
    return consequences;
  }),

  reaction<Task>({ name: taskEntityName, parse: (raw) => storedTask.parse(raw) }, ({ before, after }) => {
    if (!after) return [];
    const { companyId, id } = after;
    const row = project(taskRowTarget, { companyId, id }, (held) => ({
      companyId,
      id,
      task: toTaskItem({ ...after, log: [], remindAt: undefined }),
      rev: held?.rev ?? 0,
      checkpoints: held?.checkpoints ?? {},
    }));
    return [...entriesOf(companyId, after.leadId, before?.log, after.log), row];
  }),

  reaction<Note>({ name: noteEntityName, parse: (raw) => storedNote.parse(raw) }, ({ before, after }) =>
    after ? entriesOf(after.companyId, after.leadId, before?.log, after.log) : [],
  ),

  reaction<LeadRow>({ name: leadRowEntityName, parse: (raw) => storedLeadRow.parse(raw) }, ({ before, after }) =>
    cellFolds(
      'lead',
      after?.companyId,
      placed(before, before?.updatedAt, leadCellKey),
      placed(after, after?.updatedAt, leadCellKey),
      Math.max,
    ),
  ),

  reaction<TaskRow>({ name: taskRowEntityName, parse: (raw) => storedTaskRow.parse(raw) }, ({ before, after }) => {
    const [was, is] = [before && toTask(before.task), after && toTask(after.task)];
    return cellFolds('task', after?.companyId, placed(was, was?.dueAt, taskCellKey), placed(is, is?.dueAt, taskCellKey), Math.min);
  }),

  reaction<StoredContact>({ name: contactEntityName, parse: (raw) => storedContact.parse(raw) }, ({ before, after }) => {
    if (!before || !after || (before.name === after.name && before.phone === after.phone)) return [];
    return [message(crmQueue, after.companyId, { kind: 'contact', company_id: after.companyId, contact_id: after.id })];
  }),

  reaction<StoredMessage>({ name: messageEntityName, parse: (raw) => storedMessage.parse(raw) }, ({ before, after }) => {
    if (before || !after?.inbound || !looksLikeCode(after.value)) return [];
    const { companyId: company_id, contactId: contact_id, id: message_id } = after;
    return [message(crmQueue, company_id, { kind: 'staff_code', company_id, contact_id, message_id })];
  }),
];

function entriesOf(companyId: number, leadId: number, before: readonly Activity[] | undefined, after: readonly Activity[]): Consequence[] {
  return newEntries(before, after).map((entry) =>
    project(activityTarget, { companyId, leadId, k: entry.k }, (row) => row ?? { companyId, leadId, entry, rev: 0, checkpoints: {} }),
  );
}

function blockFold(companyId: number, of: 'facts' | 'texts', leadId: number, entry: string): Projection {
  const id = { companyId, of, block: leadPageOf(leadId) };
  return project(leadPageTarget, id, (row) => setEntry(row, id, leadId, entry));
}

interface Placed extends CellKey {
  reach: number;
}

function placed<T>(row: T | undefined, reach: number | undefined, placeOf: (row: T) => CellKey): Placed | undefined {
  return row === undefined || reach === undefined ? undefined : { ...placeOf(row), reach };
}

/** Counts follow a row from cell to cell; a row that stays may still make its list reach further. */
function cellFolds(
  of: 'lead' | 'task',
  companyId: number | undefined,
  was: Placed | undefined,
  is: Placed | undefined,
  further: (a: number, b: number) => number,
): Consequence[] {
  if (companyId === undefined || (was && is && was.group === is.group && was.cell === is.cell && was.reach === is.reach)) return [];
  const moves = [
    ...(is ? [{ group: is.group, cell: is.cell, by: 1 as const, reach: is.reach }] : []),
    ...(was ? [{ group: was.group, cell: was.cell, by: -1 as const, reach: was.reach }] : []),
  ];
  return [...new Set(moves.map(({ group }) => group))].map((group) => {
    const id = { companyId, of, group };
    const own = moves.filter((move) => move.group === group);
    return project(cellsTarget, id, (row) => applyCellMoves(row, id, own, further));
  });
}
