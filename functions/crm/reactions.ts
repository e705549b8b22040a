import {
  type Consequence,
  addToCounter,
  emitEvent,
  type Projection,
  project,
  message,
  reaction,
  reactionList,
} from '../../shared/events/react.ts';
import { isoTime } from '../../shared/runtime/clock.ts';
import { contactKind, type StoredContact } from '../contacts/contract/stored.ts';
import { messageStatuses, messageKind, type StoredMessage } from '../messaging/contract/stored.ts';
import {
  activityTarget,
  leadPageTarget,
  cellsTarget,
  type LeadRow,
  leadRowEntityName,
  leadRowTarget,
  storedLeadRow,
  storedTaskRow,
  type TaskRow,
  taskRowEntityName,
  taskRowTarget,
} from './contract/stored.ts';
import { type Note, noteEntityName, storedNote } from './contract/stored-note.ts';
import { crmQueue } from './contract/work.ts';
import { leadCreated, leadUpdated, taskCreated, taskUpdated } from './contract/event.ts';
import { activityAt, newEntries } from './domain/activity.ts';
import { leadPageOf, encodeFacts, toLeadFacts, searchText, setEntry } from './domain/lead-page.ts';
import { applyCellMoves, leadCellKey, toLeadRow, type CellKey, taskCellKey } from './domain/cell.ts';
import { isReminderOperation } from './domain/reminder.ts';
import { looksLikeCode } from './domain/preference.ts';
import type { Activity } from './contract/stored-activity.ts';
import { type Lead, leadEntityName, storedLead } from './contract/stored-lead.ts';
import { storedTask, type Task, taskEntityName, toTask, toTaskItem } from './contract/stored-task.ts';

/**
 * Reactions to CRM changes: timeline entries are copied, leads and tasks get their rows, cells their counts, lead pages their entries.
 * Reactions to others: a renamed contact updates the search text of its leads, an inbound message of eight digits may be a staff code, a
 * reminder's outcome is its task's.
 */
export const reactions = reactionList({ sendsTo: [crmQueue] }, [
  reaction<Lead>({ name: leadEntityName, parse: (raw) => storedLead.parse(raw) }, ({ before, after, writtenAt }) => {
    if (!after) return [];
    const { companyId, id } = after;
    const at = Math.max(writtenAt, after.updatedAt);
    const consequences: Consequence[] = [...entriesOf(companyId, id, before?.log, after.log), ...leadEvents(before, after)];
    const isMoved = (['stageId', 'ownerId', 'updatedAt'] as const).some((field) => before?.[field] !== after[field]);
    if (isMoved || before?.pending[0]?.[0] !== after.pending[0]?.[0])
      consequences.push(
        project(leadRowTarget, { companyId, id }, (row) => ({
          ...toLeadRow(after, at),
          rev: row?.rev ?? 0,
          checkpoints: row?.checkpoints ?? {},
        })),
      );
    const [hadFacts, facts] = [before, after].map((lead) => (isPresent(lead) ? encodeFacts(toLeadFacts(lead)) : undefined));
    if (hadFacts !== facts) consequences.push(leadPageProjection(companyId, 'facts', id, facts));
    const [hadText, text] = [before, after].map((lead) => (isPresent(lead) ? searchText(lead) : undefined));
    if (hadText !== text) consequences.push(leadPageProjection(companyId, 'texts', id, text));
    const total = Number(isPresent(after)) - Number(isPresent(before));
    if (total !== 0) consequences.push(addToCounter(companyId, leadEntityName, total));
    return consequences;
  }),

  reaction<Task>({ name: taskEntityName, parse: (raw) => storedTask.parse(raw) }, ({ before, after }) => {
    if (!after) return [];
    const { companyId, id } = after;
    const row = project(taskRowTarget, { companyId, id }, (stored) => ({
      companyId,
      id,
      task: toTaskItem({ ...after, log: [], remindAt: undefined }),
      rev: stored?.rev ?? 0,
      checkpoints: stored?.checkpoints ?? {},
    }));
    return [...entriesOf(companyId, after.leadId, before?.log, after.log), ...taskEvents(before, after), row];
  }),

  reaction<Note>({ name: noteEntityName, parse: (raw) => storedNote.parse(raw) }, ({ before, after }) =>
    after ? entriesOf(after.companyId, after.leadId, before?.log, after.log) : [],
  ),

  reaction<LeadRow>({ name: leadRowEntityName, parse: (raw) => storedLeadRow.parse(raw) }, ({ before, after }) =>
    cellProjections(
      'lead',
      after?.companyId,
      withBound(before, before?.updatedAt, worthyCell),
      withBound(after, after?.updatedAt, worthyCell),
      Math.max,
    ),
  ),

  reaction<TaskRow>({ name: taskRowEntityName, parse: (raw) => storedTaskRow.parse(raw) }, ({ before, after }) => {
    const [was, is] = [before && toTask(before.task), after && toTask(after.task)];
    return cellProjections(
      'task',
      after?.companyId,
      withBound(was, was?.dueAt, taskCellKey),
      withBound(is, is?.dueAt, taskCellKey),
      Math.min,
    );
  }),

  reaction<StoredContact>(contactKind, ({ before, after }) => {
    const textOf = ({ name, phone, mergedIds }: StoredContact): string => JSON.stringify([name, phone, mergedIds]);
    if (!before || !after || textOf(before) === textOf(after)) return [];
    return [message(crmQueue, after.companyId, { kind: 'contact', company_id: after.companyId, contact_id: after.id })];
  }),

  reaction<StoredMessage>(messageKind, ({ before, after }) => {
    if (!after) return [];
    const { companyId: company_id, contactId: contact_id, id: message_id } = after;
    if (isReminderOperation(after.operationId)) {
      const hasOutcome = after.sentAt !== before?.sentAt || (after.status === messageStatuses.failed && before?.status !== after.status);
      return hasOutcome ? [message(crmQueue, company_id, { kind: 'reminded', company_id, contact_id, message_id })] : [];
    }
    if (before || !after.inbound || !looksLikeCode(after.value)) return [];
    return [message(crmQueue, company_id, { kind: 'staff_code', company_id, contact_id, message_id })];
  }),
]);

const isPresent = (lead: Lead | undefined): lead is Lead => lead !== undefined && lead.deletedAt === undefined;

function entriesOf(companyId: number, leadId: number, before: readonly Activity[] | undefined, after: readonly Activity[]): Consequence[] {
  return newEntries(before, after).map((entry) =>
    project(activityTarget, { companyId, leadId, k: entry.k }, (row) => row ?? { companyId, leadId, entry, rev: 0, checkpoints: {} }),
  );
}

/** One for each new entry of the timeline, with the state that the write left. */
function leadEvents(before: Lead | undefined, after: Lead): Consequence[] {
  const state = {
    lead_id: after.id,
    contact_id: after.contactId,
    pipeline_id: after.pipelineId,
    stage_id: after.stageId,
    outcome: after.outcome,
    owner_id: after.ownerId ?? null,
  };
  return newEntries(before?.log, after.log).map((entry) =>
    entry.t === 'lead.created'
      ? emitEvent(leadCreated, after.companyId, { ...state, ...originOf(entry) })
      : emitEvent(leadUpdated, after.companyId, { ...state, change: entry.t, ...originOf(entry) }),
  );
}

function taskEvents(before: Task | undefined, after: Task): Consequence[] {
  const state = {
    task_id: after.id,
    lead_id: after.leadId,
    status: after.status,
    assignee_id: after.assigneeId,
    due_at: isoTime(after.dueAt),
  };
  return newEntries(before?.log, after.log).map((entry) =>
    entry.t === 'task.created'
      ? emitEvent(taskCreated, after.companyId, { ...state, ...originOf(entry) })
      : emitEvent(taskUpdated, after.companyId, { ...state, change: entry.t, ...originOf(entry) }),
  );
}

const originOf = (entry: Activity) => ({ by: entry.by === 0 ? null : entry.by, at: isoTime(activityAt(entry)) });

function leadPageProjection(companyId: number, of: 'facts' | 'texts', leadId: number, entry: string | undefined): Projection {
  const id = { companyId, of, page: leadPageOf(leadId) };
  return project(leadPageTarget, id, (row) => setEntry(row, id, leadId, entry));
}

interface WorthyCell extends CellKey {
  worth?: Pick<LeadRow, 'isValued' | 'value'>;
}

interface BoundedCell extends WorthyCell {
  bound: number;
}

const worthyCell = (row: LeadRow): WorthyCell => ({
  ...leadCellKey(row),
  ...(row.isValued ? { worth: { isValued: true, ...(row.value ? { value: row.value } : {}) } } : {}),
});

function withBound<T>(row: T | undefined, bound: number | undefined, cellKeyOf: (row: T) => WorthyCell): BoundedCell | undefined {
  return row === undefined || bound === undefined ? undefined : { ...cellKeyOf(row), bound };
}

/** Moves a row's addToCounter from cell to cell; a row that stays in its cell may still extend the bound. */
function cellProjections(
  of: 'lead' | 'task',
  companyId: number | undefined,
  was: BoundedCell | undefined,
  is: BoundedCell | undefined,
  further: (a: number, b: number) => number,
): Consequence[] {
  if (companyId === undefined || (was && is && JSON.stringify(was) === JSON.stringify(is))) return [];
  const moves = [...(is ? [{ ...is, by: 1 as const }] : []), ...(was ? [{ ...was, by: -1 as const }] : [])];
  return [...new Set(moves.map(({ group }) => group))].map((group) => {
    const id = { companyId, of, group };
    const own = moves.filter((move) => move.group === group);
    return project(cellsTarget, id, (row) => applyCellMoves(row, id, own, further));
  });
}
