import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Lead } from '../../../client/client.ts';
import { Badge, Button } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { LongTextField, SelectField, TextField } from '../../components/fields.tsx';
import { Form, SubmitButton, useForm } from '../../components/form.tsx';
import { useRemoval } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Shown } from '../../components/shown.tsx';
import { Time, useNow } from '../../components/time.tsx';
import { toast, toastProblem } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { inDays, morning, toFieldTime } from '../../data/field-time.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { useAssignees, useMay } from '../../data/session.ts';
import { salesText } from '../../text/sales.ts';
import { type TextOf, useText } from '../../text/text.ts';
import { LeadConversation } from './lead-conversation.tsx';
import { LeadHistory } from './lead-history.tsx';
import { TaskRow } from './task-row.tsx';

const reread = (): void =>
  void refresh('getLead', 'getBoard', 'listLeads', 'listLeadTasks', 'listTasks', 'listLeadNotes', 'listLeadActivities');

/** Says that it is deleted, and takes that back for some seconds. */
const offerRestore = (id: number, text: TextOf<typeof salesText>): void => {
  const restore = (): void => {
    dismiss();
    api
      .restoreLead({ params: { id } })
      .then(() => toast(text.leadRestored), toastProblem)
      .finally(reread);
  };
  const dismiss = toast(
    <span className="row">
      <span className="grow">{text.leadDeleted}</span>
      <Button small look="quiet" onClick={restore}>
        {text.restore}
      </Button>
    </span>,
    restoreMs,
  );
};
const restoreMs = 8_000;

/** One lead: what it is about, what is to be done, and what was noted; from there to the conversation. */
export const LeadDialog = ({ id, onClose }: { id: number; onClose: () => void }): JSX.Element => {
  const text = useText(salesText);
  const mayWrite = useMay('member');
  const query = useQuery(read('getLead', { params: { id } }));
  const lead = query.data?.data;
  const { question, remove } = useRemoval({
    title: `${text.remove}: ${lead?.title ?? ''}`,
    action: text.remove,
    words: text.removeText,
    send: (call) => api.deleteLead({ params: { id } }, call),
    onRemoved: () => {
      reread();
      onClose();
      offerRestore(id, text);
    },
  });
  return (
    <>
      <Dialog
        title={lead?.title ?? text.lead}
        onClose={onClose}
        wide
        footer={
          lead && (
            <>
              {mayWrite && (
                <Button look="quiet" icon="trash" onClick={remove}>
                  {text.remove}
                </Button>
              )}
              <span className="grow" />
              <Link className="button" to="/inbox/$id" params={{ id: lead.contact_id }}>
                <Icon name="inbox" />
                {text.conversation}
              </Link>
            </>
          )
        }
      >
        <Shown query={query}>
          {({ data }) => (
            <>
              <div className="row">
                {data.stage && (
                  <Badge look={data.outcome === 'won' ? 'good' : data.outcome === 'lost' ? 'bad' : 'info'}>{data.stage.name}</Badge>
                )}
                {data.lost_reason !== null && <span className="muted">{data.lost_reason}</span>}
              </div>
              {mayWrite ? <LeadForm lead={data} /> : <p dir="auto">{data.requirement}</p>}
              <Tasks leadId={id} />
              <LeadConversation contactId={data.contact_id} />
              <Notes leadId={id} />
              <LeadHistory leadId={id} />
            </>
          )}
        </Shown>
      </Dialog>
      {question}
    </>
  );
};

const LeadForm = ({ lead }: { lead: Lead }): JSX.Element => {
  const text = useText(salesText);
  const users = useAssignees();
  const { field, submitting } = useForm(
    {
      title: lead.title,
      requirement: lead.requirement ?? '',
      value: lead.value === null ? '' : String(lead.value),
      currency: lead.currency ?? 'EUR',
      owner: String(lead.owner_id ?? ''),
    },
    (_values, call, { title, requirement, value, currency, owner }) => {
      const body = {
        version: lead.version,
        ...(title === undefined ? {} : { title: title.trim() }),
        ...(requirement === undefined ? {} : { requirement: requirement.trim() === '' ? null : requirement.trim() }),
        ...(value === undefined ? {} : { value: value === '' ? null : Number(value) }),
        ...(currency === undefined && (value === undefined || lead.currency !== null)
          ? {}
          : { currency: (currency ?? 'EUR').toUpperCase() }),
        ...(owner === undefined ? {} : { owner_id: owner === '' ? null : Number(owner) }),
      };
      return api.updateLead({ params: { id: lead.id }, body }, call);
    },
    reread,
  );
  return (
    <Form submitting={submitting} className="form">
      <TextField label={text.title} dir="auto" {...field('title')} />
      <LongTextField label={text.requirement} dir="auto" rows={2} {...field('requirement')} />
      <div className="row">
        <TextField label={text.value} type="number" min={0} step="0.01" {...field('value')} />
        <TextField label={text.currency} maxLength={3} {...field('currency')} />
        <SelectField
          label={text.owner}
          choices={[['', text.noOwner], ...users.map(({ id, name }) => [String(id), name] as const)]}
          {...field('owner')}
        />
      </div>
      <div>
        <SubmitButton write={submitting.write} isSoftDisabled={!submitting.isChanged} />
      </div>
    </Form>
  );
};

const Tasks = ({ leadId }: { leadId: number }): JSX.Element => {
  const text = useText(salesText);
  const mayWrite = useMay('member');
  const query = useQuery(read('listLeadTasks', { params: { id: leadId }, query: { limit: 50 } }));
  const now = useNow();
  const { values, field, submitting } = useForm(
    { title: '', due_at: toFieldTime(inDays(now, 1, morning)) },
    ({ title, due_at }, call) =>
      api.createTask({ params: { id: leadId }, body: { title: title.trim(), due_at: new Date(due_at).toISOString() } }, call),
    reread,
  );
  return (
    <section className="lead-part" aria-label={text.tasks}>
      <h3>{text.tasks}</h3>
      <Shown query={query} rows={1}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="muted">{text.noTasks}</p>
          ) : (
            <>
              {data.map((task) => (
                <TaskRow key={task.id} task={task} onDone={reread} />
              ))}
            </>
          )
        }
      </Shown>
      {mayWrite && (
        <Form submitting={submitting} className="pair">
          <TextField label={text.newTask} dir="auto" {...field('title')} />
          <TextField label={text.due} type="datetime-local" {...field('due_at')} />
          <SubmitButton write={submitting.write} isDisabled={values.title.trim() === '' || Number.isNaN(Date.parse(values.due_at))}>
            {text.add}
          </SubmitButton>
        </Form>
      )}
    </section>
  );
};

const Notes = ({ leadId }: { leadId: number }): JSX.Element => {
  const text = useText(salesText);
  const mayWrite = useMay('member');
  const [note, setNote] = useState('');
  const query = useQuery(read('listLeadNotes', { params: { id: leadId }, query: { limit: 50 } }));
  const add = useWrite(
    (body: string, call) => api.createNote({ params: { id: leadId }, body: { body } }, call),
    () => {
      setNote('');
      reread();
    },
  );
  return (
    <section className="lead-part" aria-label={text.notes}>
      <h3>{text.notes}</h3>
      {add.error && <ProblemCard error={add.error} />}
      {mayWrite && (
        <>
          <LongTextField label={text.newNote} dir="auto" rows={2} value={note} onText={setNote} />
          <div>
            <Button isSoftDisabled={note.trim() === '' || add.isPending} onClick={() => note.trim() !== '' && add.run(note.trim())}>
              {text.add}
            </Button>
          </div>
        </>
      )}
      <Shown query={query} rows={1}>
        {({ data }) => (
          <>
            {data.map(({ id, body, author, created_at: at }) => (
              <div key={id}>
                <p dir="auto">{body}</p>
                <p className="muted">
                  {author?.name} <Time at={at} />
                </p>
              </div>
            ))}
          </>
        )}
      </Shown>
    </section>
  );
};
