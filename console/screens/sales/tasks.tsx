import type { JSX } from 'react';
import type { Task } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { State } from '../../components/basics.tsx';
import { times } from '../../components/columns.tsx';
import { CheckField, FilterSelect } from '../../components/fields.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { useRows } from '../../data/pages.ts';
import { refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { salesText } from '../../text/sales.ts';
import { useText } from '../../text/text.ts';
import { LeadDialog } from './lead-dialog.tsx';
import { CompleteButton } from './task-row.tsx';

/** What is to be done for all leads, the late first. */
const Tasks = (): JSX.Element => {
  const text = useText(salesText);
  const [status, setStatus] = useFilter('status');
  const [mine, setMine] = useFilter('user');
  const [opened, setOpened] = useFilter('entry');
  const query = {
    limit: 50,
    ...(status === 'completed' ? { status: 'completed' as const } : { status: 'pending' as const }),
    ...(status === 'overdue' ? { overdue: true } : {}),
    ...(mine === undefined ? {} : { mine: true }),
  };
  const { rows, hasMore, readOn, ...reading } = useRows('listTasks', { query });
  useInspectable({ title: text.tasks, call: { operation: 'listTasks', input: { query } } });
  return (
    <TablePage
      title={text.tasks}
      file="tasks"
      query={reading}
      rows={rows}
      columns={[
        {
          id: 'title',
          name: text.task,
          width: 'minmax(9rem, 2fr)',
          value: ({ title }) => title,
          cell: (task: Task) => (
            <button type="button" className="row-link whole-row" onClick={() => setOpened(String(task.lead_id))}>
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
          value: ({ is_overdue: late, status: state }) => (state === 'completed' ? text.completed : late ? text.late : ''),
          cell: ({ is_overdue: late, status: state }) =>
            state === 'completed' ? <State name={text.completed} look={undefined} /> : late ? <State name={text.late} look="bad" /> : null,
        },
        times('due_at', text.due, { width: '5rem', isNumber: true }),
        {
          id: 'actions',
          name: '',
          width: '7rem',
          value: () => '',
          cell: (task: Task) => <CompleteButton task={task} onDone={() => void refresh('listTasks', 'listLeadTasks', 'getBoard')} />,
        },
      ]}
      filters={
        <>
          <FilterSelect
            label={text.state}
            value={status}
            choices={[
              ['', text.open],
              ['overdue', text.late],
              ['completed', text.completed],
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
