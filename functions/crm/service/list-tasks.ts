import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import { type Task, taskStatuses, type TaskStatus } from '../contract/stored-task.ts';
import type { LeadTaskQuery, TaskQuery, TaskRecord } from '../contract/task.ts';
import { cellParts, toCountedCells, type CountedCell } from '../domain/cell.ts';
import { toTaskRecord } from '../domain/record.ts';
import { earliestFirst, isOverdue } from '../domain/task.ts';
import { getStoredLead, getStoredLeads } from '../store/lead.ts';
import { listCells, listTaskCell } from '../store/row.ts';
import { type DueRange, taskListKey, type TaskPosition, listTasksOfLead, listTasksByDueTime } from '../store/task.ts';
import { mergeLists, type ListSource } from '../store/ordered-list.ts';
import { getUserNames } from '../../account/service/user-names.ts';

/**
 * Lists of tasks, earliest due time first; see docs/decisions/crm-lists.md. Status and due time are the order of the task index; assignee
 * and reminder are found through cells, which are projections. A company with few tasks is read whole.
 */
const liveCount = 24;
/** With more tasks than this by the cells' counts, which lag behind, the tasks are not read whole. */
const liveReadLimit = 4 * liveCount;
/** How many tasks beyond the page are counted where no cell counts them; with more, `total` is a lower bound. */
const countAhead = 150;
const endOfTime = 253_402_300_799_999;

interface Filter {
  statuses: readonly TaskStatus[];
  from: number;
  to: number;
  /** Undefined: any assignee. */
  assigneeIds: readonly number[] | undefined;
  /** `mine=0`: tasks of other assignees. */
  notAssigneeId: number | undefined;
  reminded: boolean | undefined;
  overdue: boolean | undefined;
  at: number;
}

interface PageRequest {
  skip: number;
  count: number;
  after: Position | undefined;
}

/** `shown`: how many tasks the previous pages had, for the total. */
interface Position extends TaskPosition {
  shown: number;
}
const position: z.ZodType<Position> = z.object({ dueAt: z.int(), id: z.int(), shown: z.int() });

interface FoundTasks {
  tasks: Task[];
  hasMore: boolean;
  total: number;
}

/** GET /tasks. */
export const listTasks = async (
  companyId: number,
  userId: number,
  query: TaskQuery,
): Promise<Page<TaskRecord> | Problem<'invalid_cursor'>> => {
  const { lead_id: leadId, ...rest } = query;
  return listPage(companyId, userId, rest, `tasks:${companyId}:${leadId ?? ''}`, (filter, request) =>
    leadId === undefined ? findTasksByFilter(companyId, filter, request) : findInLead(companyId, leadId, filter, request),
  );
};

/** GET /leads/{id}/tasks. */
export const listLeadTasks = async (
  companyId: number,
  userId: number,
  leadId: number,
  query: LeadTaskQuery,
): Promise<Page<TaskRecord> | Problem<'invalid_cursor' | 'not_found'>> => {
  if (!(await getStoredLead(companyId, leadId, { consistent: true }))) return problem('not_found');
  return listPage(companyId, userId, query, `lead-tasks:${companyId}:${leadId}`, (filter, request) =>
    findInLead(companyId, leadId, filter, request),
  );
};

async function listPage(
  companyId: number,
  userId: number,
  { page, limit, cursor, ...filters }: LeadTaskQuery,
  list: string,
  search: (filter: Filter, request: PageRequest) => Promise<FoundTasks>,
): Promise<Page<TaskRecord> | Problem<'invalid_cursor'>> {
  const scope = `${list}:${filters.mine === undefined ? '' : userId}:${JSON.stringify(filters)}`;
  const after = cursor === undefined ? undefined : await decodeCursor(scope, cursor, position);
  if (cursor !== undefined && !after) return problem('invalid_cursor');
  const request = { skip: after ? 0 : (page - 1) * limit, count: limit, after };
  const { tasks, hasMore, total } = await search(filterOf(filters, userId), request);
  const [leads, people] = await Promise.all([
    getStoredLeads(
      companyId,
      tasks.map(({ leadId }) => leadId),
    ),
    getUserNames(
      companyId,
      tasks.map(({ assigneeId }) => assigneeId),
    ),
  ]);
  const titles = new Map(leads.map(({ id, title }) => [id, title]));
  const last = hasMore ? tasks.at(-1) : undefined;
  const shown = (after?.shown ?? request.skip) + tasks.length;
  return {
    items: tasks.map((task) => toTaskRecord(task, titles.get(task.leadId), people, now())),
    total,
    page,
    limit,
    nextCursor: last && (await encodeCursor(scope, { dueAt: last.dueAt, id: last.id, shown })),
  };
}

async function findInLead(companyId: number, leadId: number, filter: Filter, request: PageRequest): Promise<FoundTasks> {
  return pageOf((await listTasksOfLead(companyId, leadId)).filter(matching(filter)), request);
}

async function findTasksByFilter(companyId: number, filter: Filter, request: PageRequest): Promise<FoundTasks> {
  const ranges = rangesOf(filter);
  const all = toCountedCells(await listCells(companyId, 'task'));
  if (sum(all.filter(({ group }) => ranges.some(({ status }) => status === group))) <= liveReadLimit) {
    const reads = await Promise.all(
      ranges.map(({ status, range }) => listTasksByDueTime(companyId, status, range).then((read) => read(liveCount + 1))),
    );
    if (reads.every(({ done }) => done)) return pageOf(reads.flatMap(({ items }) => items).filter(matching(filter)), request);
  }
  const isByCell = filter.assigneeIds !== undefined || filter.notAssigneeId !== undefined || filter.reminded !== undefined;
  const isWhole = filter.from === 0 && filter.to === endOfTime && filter.overdue === undefined;
  const cells = isByCell || isWhole ? all.filter((cell) => isCellOf(filter, cell)) : [];
  const sources = isByCell
    ? await cellSources(companyId, cells, ranges, request.after)
    : await statusSources(companyId, ranges, request.after);
  const counted = isWhole ? sum(cells) : undefined;
  return collect(mergeLists(sources, taskListKey, 'ascending'), request, counted);
}

const sum = (cells: readonly CountedCell[]): number => cells.reduce((total, { count }) => total + count, 0);

async function collect(tasks: AsyncGenerator<Task>, { skip, count, after }: PageRequest, counted: number | undefined): Promise<FoundTasks> {
  const wanted = skip + count + (counted === undefined ? countAhead : 1);
  const found: Task[] = [];
  while (found.length < wanted) {
    const next = await tasks.next();
    if (next.done) break;
    found.push(next.value);
  }
  const total = Math.max(counted ?? 0, (after?.shown ?? 0) + found.length);
  return { tasks: found.slice(skip, skip + count), hasMore: found.length > skip + count, total };
}

interface StatusRange {
  status: TaskStatus;
  range: DueRange;
}

/** Overdue: pending and due before now. Not overdue: closed tasks, and those due from now on. */
function rangesOf({ statuses, from, to, overdue, at }: Filter): StatusRange[] {
  return statuses
    .filter((status) => overdue !== true || status === 'pending')
    .map((status) => {
      const isPending = status === 'pending';
      return {
        status,
        range: {
          from: isPending && overdue === false ? Math.max(from, at) : from,
          to: isPending && overdue === true ? Math.min(to, at - 1) : to,
          after: undefined,
        },
      };
    })
    .filter(({ range }) => range.from <= range.to);
}

const statusSources = (companyId: number, ranges: readonly StatusRange[], after: Position | undefined): Promise<ListSource<Task>[]> =>
  Promise.all(
    ranges.map(async ({ status, range }) => ({
      bound: taskListKey({ dueAt: Math.max(range.from, after?.dueAt ?? 0), id: 0 }),
      read: await listTasksByDueTime(companyId, status, { ...range, after }),
    })),
  );

const cellSources = (
  companyId: number,
  cells: readonly CountedCell[],
  ranges: readonly StatusRange[],
  after: Position | undefined,
): Promise<ListSource<Task>[]> =>
  Promise.all(
    ranges.flatMap(({ status, range }) =>
      cells
        .filter(({ group }) => group === status)
        .map(async ({ group, cell, bound }) => ({
          bound: taskListKey({ dueAt: Math.max(range.from, bound, after?.dueAt ?? 0), id: 0 }),
          read: await listTaskCell(companyId, group, cell, { ...range, after }),
        })),
    ),
  );

function filterOf(query: Omit<LeadTaskQuery, 'page' | 'limit' | 'cursor'>, userId: number): Filter {
  const assigneeIds = [query.assignee_id, query.mine ? userId : undefined].filter((id) => id !== undefined);
  return {
    statuses: query.status === undefined ? taskStatuses : [query.status],
    from: query.due_from ?? 0,
    to: query.due_to ?? endOfTime,
    // two different assignees match no task
    assigneeIds: assigneeIds.length === 0 ? undefined : assigneeIds.every((id) => id === assigneeIds[0]) ? assigneeIds.slice(0, 1) : [],
    notAssigneeId: query.mine === false ? userId : undefined,
    reminded: query.reminded,
    overdue: query.overdue,
    at: now(),
  };
}

const matching =
  (filter: Filter) =>
  (task: Task): boolean =>
    filter.statuses.includes(task.status) &&
    task.dueAt >= filter.from &&
    task.dueAt <= filter.to &&
    isAssigned(filter, task.assigneeId) &&
    (filter.reminded === undefined || (task.remindedAt !== undefined) === filter.reminded) &&
    (filter.overdue === undefined || isOverdue(task, filter.at) === filter.overdue);

function isCellOf(filter: Filter, { group, cell }: CountedCell): boolean {
  const [assigneeId, reminded] = cellParts(cell);
  return (
    filter.statuses.some((status) => status === group) &&
    isAssigned(filter, assigneeId) &&
    (filter.reminded === undefined || (reminded === 1) === filter.reminded)
  );
}

const isAssigned = ({ assigneeIds, notAssigneeId }: Filter, id: number): boolean =>
  (assigneeIds === undefined || assigneeIds.includes(id)) && id !== notAssigneeId;

function pageOf(tasks: readonly Task[], { skip, count, after }: PageRequest): FoundTasks {
  const sorted = tasks.toSorted(earliestFirst);
  const rest = (after ? sorted.filter((task) => earliestFirst(task, after) > 0) : sorted).slice(skip);
  return { tasks: rest.slice(0, count), hasMore: rest.length > count, total: tasks.length };
}
