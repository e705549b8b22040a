import type { JSX } from 'react';
import type { Task } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { State } from '../../components/basics.tsx';
import { times } from '../../components/columns.tsx';
import { CheckField, FilterSelect } from '../../components/fields.tsx';
import type { Column } from '../../components/table.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { useNow } from '../../components/time.tsx';
import { useRows } from '../../data/pages.ts';
import { refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { salesText } from '../../text/sales.ts';
import { useText } from '../../text/text.ts';
import { LeadDialog } from './lead-dialog.tsx';
import { TaskMenu } from './task-menu.tsx';
import { tasksOf, taskViews } from './task-range.ts';
import { CompleteButton } from './task-row.tsx';

/** What is to be done for all leads, the late first. */
const Tasks = (): JSX.Element => {
  const text = useText(salesText);
  const [status, setStatus] = useFilter('status');
  const [mine, setMine] = useFilter('user');
  const [opened, setOpened] = useFilter('entry');
  const view = taskViews.find((each) => each === status) ?? '';
  const query = { limit: 50, ...tasksOf(view, useNow()), ...(mine === undefined ? {} : { mine: true }) };
  const { rows, hasMore, readOn, ...reading } = useRows('listTasks', { query });
  useInspectable({ title: text.tasks, call: { operation: 'listTasks', input: { query } } });
  return (
    <TablePage
      title={text.tasks}
      file="tasks"
      query={reading}
      rows={rows}
      columns={useTaskColumns(setOpened)}
      filters={
        <>
          <FilterSelect
            label={text.state}
            value={status}
            choices={[
              ['', text.open],
              ['today', text.today],
              ['overdue', text.late],
              ['coming', text.coming],
              ['completed', text.completed],
              ['cancelled', text.cancelled],
            ]}
            onText={setStatus}
          />
          <CheckField label={text.onlyMine} checked={mine !== undefined} onCheck={(on) => setMine(on ? '1' : undefined)} />
        </>
      }
      empty={{ icon: 'check', title: text.nothingToDo, hint: text.nothingToDoHint }}
      hasMore={hasMore}
      onEnd={readOn}
    >
      {opened !== undefined && <LeadDialog id={Number(opened)} onClose={() => setOpened(undefined)} />}
    </TablePage>
  );
};
export default Tasks;

const useTaskColumns = (open: (lead: string) => void): Column<Task>[] => {
  const text = useText(salesText);
  const reread = (): void => void refresh('listTasks', 'listLeadTasks', 'getBoard');
  const stateOf = ({ is_overdue: late, status: state }: Task): string => {
    if (state === 'completed') return text.completed;
    if (state === 'cancelled') return text.cancelled;
    return late ? text.late : '';
  };
  return [
    {
      id: 'title',
      name: text.task,
      width: 'minmax(9rem, 2fr)',
      value: ({ title }) => title,
      cell: (task: Task) => (
        <button type="button" className="row-link whole-row" onClick={() => open(String(task.lead_id))}>
          <span dir="auto">{task.title}</span>
        </button>
      ),
    },
    { id: 'lead', name: text.lead, width: 'minmax(8rem, 2fr)', value: ({ lead }) => lead?.title ?? '', isExtra: true },
    { id: 'assignee', name: text.owner, width: 'minmax(6rem, 1fr)', value: ({ assignee }) => assignee?.name ?? '', isExtra: true },
    {
      id: 'late',
      name: text.state,
      width: '7rem',
      isExtra: true,
      value: stateOf,
      cell: (task: Task) => {
        const state = stateOf(task);
        return state === '' ? null : <State name={state} look={task.status === 'pending' ? 'bad' : undefined} />;
      },
    },
    times('due_at', text.due, { width: '5rem', isNumber: true }),
    {
      id: 'actions',
      name: '',
      width: '9.5rem',
      value: () => '',
      cell: (task: Task) => (
        <span className="row">
          <CompleteButton task={task} onDone={reread} />
          <TaskMenu task={task} onDone={reread} />
        </span>
      ),
    },
  ];
};
