import type { JSX } from 'react';
import type { Task } from '../../../client/client.ts';
import { useDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { api } from '../../data/client.ts';
import { toFieldTime } from '../../data/field-time.ts';
import { useAssignees, useMay } from '../../data/session.ts';
import { salesText } from '../../text/sales.ts';
import { useText } from '../../text/text.ts';

interface TaskProps {
  task: Task;
  onDone: () => void;
}

/** Changing a task and cancelling it, as long as it is not done. */
export const TaskMenu = ({ task, onDone }: TaskProps): JSX.Element | null => {
  const text = useText(salesText);
  const mayWrite = useMay('member');
  const { dialog, open, close } = useDialog();
  if (!mayWrite || task.status !== 'pending') return null;
  const done = (): void => {
    close();
    onDone();
  };
  return (
    <>
      <Menu
        label={`${text.more}: ${task.title}`}
        className="button quiet icon small"
        trigger={<Icon name="more" />}
        entries={[
          { id: 'edit', label: text.change, icon: 'edit' },
          { id: 'cancel', label: text.cancelTask, icon: 'close' },
        ]}
        onSelect={(id) =>
          open(
            id === 'edit' ? (
              <EditTask task={task} onClose={close} onDone={done} />
            ) : (
              <CancelTask task={task} onClose={close} onDone={done} />
            ),
          )
        }
      />
      {dialog}
    </>
  );
};

interface DialogProps extends TaskProps {
  onClose: () => void;
}

/** What is to be done, until when, and by whom. */
const EditTask = ({ task, onClose, onDone }: DialogProps): JSX.Element => {
  const text = useText(salesText);
  const users = useAssignees();
  const { values, field, submitting } = useForm(
    { title: task.title, due_at: toFieldTime(Date.parse(task.due_at)), assignee_id: String(task.assignee_id) },
    (_all, call, { title, due_at: due, assignee_id: assignee }) =>
      api.updateTask(
        {
          params: { id: task.lead_id, task_id: task.id },
          body: {
            version: task.version,
            ...(title === undefined ? {} : { title: title.trim() }),
            ...(due === undefined ? {} : { due_at: new Date(due).toISOString() }),
            ...(assignee === undefined ? {} : { assignee_id: Number(assignee) }),
          },
        },
        call,
      ),
    onDone,
  );
  const known = users.some(({ id }) => id === task.assignee_id);
  const choices = [
    ...(known ? [] : [[String(task.assignee_id), task.assignee?.name ?? '–'] as const]),
    ...users.map(({ id, name }) => [String(id), name] as const),
  ];
  return (
    <FormDialog
      {...submitting}
      title={text.changeTask}
      isDisabled={!submitting.isChanged || values.title.trim() === '' || Number.isNaN(Date.parse(values.due_at))}
      onClose={onClose}
    >
      <TextField label={text.newTask} dir="auto" {...field('title')} />
      <TextField label={text.due} type="datetime-local" {...field('due_at')} />
      <SelectField label={text.owner} choices={choices} {...field('assignee_id')} />
    </FormDialog>
  );
};

const CancelTask = ({ task, onClose, onDone }: DialogProps): JSX.Element => {
  const text = useText(salesText);
  const { values, field, submitting } = useForm(
    { cancellation_reason: '' },
    ({ cancellation_reason: why }, call) =>
      api.cancelTask(
        { params: { id: task.lead_id, task_id: task.id }, body: { version: task.version, cancellation_reason: why.trim() } },
        call,
      ),
    onDone,
  );
  return (
    <FormDialog
      {...submitting}
      title={task.title}
      action={text.cancelTask}
      isDisabled={values.cancellation_reason.trim() === ''}
      onClose={onClose}
    >
      <TextField label={text.whyCancelled} dir="auto" {...field('cancellation_reason')} />
    </FormDialog>
  );
};
