import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { cutPage, listPage, type Page, type PageRange, pageOfWhole } from '../../../shared/table/page.ts';
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

/** `shown`: how many tasks the previous pages had, for the total. */
const position = z.object({ dueAt: z.int(), id: z.int(), shown: z.int() });
type Range = PageRange<z.output<typeof position>>;

interface FoundTasks {
  items: Task[];
  next: TaskPosition | undefined;
  total: number;
}

/** GET /tasks. */
export const listTasks = (
  companyId: number,
  userId: number,
  { lead_id: leadId, ...query }: TaskQuery,
): Promise<Page<TaskRecord> | Problem<'invalid_cursor'>> =>
  listFoundTasks(companyId, userId, query, `tasks:${companyId}:${leadId ?? ''}`, (filter, range) =>
    leadId === undefined ? findTasksByFilter(companyId, filter, range) : findInLead(companyId, leadId, filter, range),
  );

/** GET /leads/{id}/tasks. */
export const listLeadTasks = async (
  companyId: number,
  userId: number,
  leadId: number,
  query: LeadTaskQuery,
): Promise<Page<TaskRecord> | Problem<'invalid_cursor' | 'not_found'>> => {
  if (!(await getStoredLead(companyId, leadId, { consistent: true }))) return problem('not_found');
  return listFoundTasks(companyId, userId, query, `lead-tasks:${companyId}:${leadId}`, (filter, range) =>
    findInLead(companyId, leadId, filter, range),
  );
};

const listFoundTasks = (
  companyId: number,
  userId: number,
  { page, limit, cursor, ...filters }: LeadTaskQuery,
  list: string,
  find: (filter: Filter, range: Range) => Promise<FoundTasks>,
): Promise<Page<TaskRecord> | Problem<'invalid_cursor'>> =>
  listPage(
    { scope: `${list}:${filters.mine === undefined ? '' : userId}:${JSON.stringify(filters)}`, query: { page, limit, cursor }, position },
    async (range) => {
      const { items: tasks, next, total } = await find(filterOf(filters, userId), range);
      const leadIds = tasks.map(({ leadId }) => leadId);
      const assigneeIds = tasks.map(({ assigneeId }) => assigneeId);
      const [leads, people] = await Promise.all([getStoredLeads(companyId, leadIds), getUserNames(companyId, assigneeIds)]);
      const titles = new Map(leads.map(({ id, title }) => [id, title]));
      return {
        items: tasks.map((task) => toTaskRecord(task, titles.get(task.leadId), people, now())),
        total,
        next: next && { ...next, shown: (range.after?.shown ?? range.skip) + tasks.length },
      };
    },
  );

async function findInLead(companyId: number, leadId: number, filter: Filter, range: Range): Promise<FoundTasks> {
  return pageOf((await listTasksOfLead(companyId, leadId)).filter(matching(filter)), range);
}

async function findTasksByFilter(companyId: number, filter: Filter, range: Range): Promise<FoundTasks> {
  const ranges = rangesOf(filter);
  const all = toCountedCells(await listCells(companyId, 'task'));
  if (sum(all.filter(({ group }) => ranges.some(({ status }) => status === group))) <= liveReadLimit) {
    const reads = await Promise.all(
      ranges.map(({ status, range }) => listTasksByDueTime(companyId, status, range).then((read) => read(liveCount + 1))),
    );
    if (reads.every(({ done }) => done)) return pageOf(reads.flatMap(({ items }) => items).filter(matching(filter)), range);
  }
  const isByCell = filter.assigneeIds !== undefined || filter.notAssigneeId !== undefined || filter.reminded !== undefined;
  const isWhole = filter.from === 0 && filter.to === endOfTime && filter.overdue === undefined;
  const cells = isByCell || isWhole ? all.filter((cell) => isCellOf(filter, cell)) : [];
  const sources = isByCell ? await cellSources(companyId, cells, ranges, range.after) : await statusSources(companyId, ranges, range.after);
  const counted = isWhole ? sum(cells) : undefined;
  return collect(mergeLists(sources, taskListKey, 'ascending'), range, counted);
}

const sum = (cells: readonly CountedCell[]): number => cells.reduce((total, { count }) => total + count, 0);

async function collect(tasks: AsyncGenerator<Task>, range: Range, counted: number | undefined): Promise<FoundTasks> {
  const { skip, limit, after } = range;
  const wanted = skip + limit + (counted === undefined ? countAhead : 1);
  const found: Task[] = [];
  while (found.length < wanted) {
    const next = await tasks.next();
    if (next.done) break;
    found.push(next.value);
  }
  const total = Math.max(counted ?? 0, (after?.shown ?? 0) + found.length);
  return { ...cutPage(found, range, positionOf), total };
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

const statusSources = (companyId: number, ranges: readonly StatusRange[], after: TaskPosition | undefined): Promise<ListSource<Task>[]> =>
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
  after: TaskPosition | undefined,
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

const pageOf = (tasks: readonly Task[], range: Range): FoundTasks =>
  pageOfWhole<Task, TaskPosition>(tasks.toSorted(earliestFirst), range, earliestFirst, positionOf);

const positionOf = ({ dueAt, id }: Task): TaskPosition => ({ dueAt, id });
