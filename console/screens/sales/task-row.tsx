import type { JSX } from 'react';
import type { Task } from '../../../client/client.ts';
import { Badge, Button } from '../../components/basics.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Time } from '../../components/time.tsx';
import { api } from '../../data/client.ts';
import { useMay } from '../../data/session.ts';
import { salesText } from '../../text/sales.ts';
import { useText } from '../../text/text.ts';
import { TaskMenu } from './task-menu.tsx';

/** A task of a lead in one line, and the press that completes it. */
export const TaskRow = ({ task, onDone }: { task: Task; onDone: () => void }): JSX.Element => {
  const text = useText(salesText);
  return (
    <div className="row line">
      <span className="grow cut" dir="auto">
        {task.title}
      </span>
      {task.assignee && <span className="muted">{task.assignee.name}</span>}
      {task.is_overdue ? (
        <Badge look="bad">
          <Time at={task.due_at} />
        </Badge>
      ) : (
        <Time at={task.due_at} />
      )}
      {task.status === 'pending' ? (
        <>
          <CompleteButton task={task} onDone={onDone} />
          <TaskMenu task={task} onDone={onDone} />
        </>
      ) : (
        <span className="muted">{task.status === 'completed' ? text.completed : text.cancelled}</span>
      )}
    </div>
  );
};

/** Completes a task, with what came of it; one that was changed meanwhile is refused. */
export const CompleteButton = ({ task, onDone }: { task: Task; onDone: () => void }): JSX.Element | null => {
  const text = useText(salesText);
  const mayWrite = useMay('member');
  const { dialog, open, close } = useDialog();
  if (!mayWrite || task.status !== 'pending') return null;
  const complete = (): void =>
    open(
      <Outcome
        task={task}
        onClose={close}
        onDone={() => {
          close();
          onDone();
        }}
      />,
    );
  return (
    <>
      <Button small icon="check" onClick={complete}>
        {text.complete}
      </Button>
      {dialog}
    </>
  );
};

const Outcome = ({ task, onClose, onDone }: { task: Task; onClose: () => void; onDone: () => void }): JSX.Element => {
  const text = useText(salesText);
  const { values, field, submitting } = useForm(
    { outcome: '' },
    ({ outcome }, call) =>
      api.completeTask({ params: { id: task.lead_id, task_id: task.id }, body: { version: task.version, outcome: outcome.trim() } }, call),
    onDone,
  );
  return (
    <FormDialog {...submitting} title={task.title} action={text.complete} isDisabled={values.outcome.trim() === ''} onClose={onClose}>
      <TextField label={text.outcome} dir="auto" {...field('outcome')} />
    </FormDialog>
  );
};
