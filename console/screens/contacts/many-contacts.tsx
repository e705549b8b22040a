import { type JSX, type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { ContactJob } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { CheckField, SelectField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { formatCount } from '../../components/time.tsx';
import { api, type Input } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { contactsText } from '../../text/contacts.ts';
import { useLocale, useText } from '../../text/text.ts';
import { useLabels } from './filter-names.ts';
import type { Filter } from './filter-words.ts';

/** Which contacts: those that are chosen, those that match, those of a segment, or all. */
export type Selection = { contact_ids: number[] } | { filter: Filter } | { segment_id: number } | { all: true };
type Kind = 'add_groups' | 'remove_groups' | 'add_tags' | 'remove_tags' | 'bot' | 'export';

/** What can be done with the contacts that are chosen, or with all that are found. */
export const ManyContacts = ({ selection, onStarted }: { selection: Selection; onStarted: (id: number) => void }): JSX.Element => {
  const text = useText(contactsText);
  const { dialog, open, close } = useDialog();
  const kinds: readonly [Kind, string][] = [
    ['add_tags', text.manyAddTag],
    ['remove_tags', text.manyRemoveTag],
    ['add_groups', text.manyAddGroup],
    ['remove_groups', text.manyRemoveGroup],
    ['bot', text.manyBot],
    ['export', text.manyExport],
  ];
  const label = 'contact_ids' in selection ? text.manyChosen : text.many;
  const start = (kind: Kind): void =>
    open(
      <ManyForm
        kind={kind}
        title={kinds.find(([each]) => each === kind)?.[1] ?? ''}
        selection={selection}
        onClose={close}
        onDone={(id) => {
          close();
          onStarted(id);
        }}
      />,
    );
  return (
    <>
      <Menu
        label={label}
        className="button"
        trigger={
          <>
            {label}
            <Icon name="down" size={14} />
          </>
        }
        entries={kinds.map(([id, label]) => ({ id, label }))}
        onSelect={(id) => start(id as Kind)}
      />
      {dialog}
    </>
  );
};

interface ManyFormProps {
  kind: Kind;
  title: string;
  selection: Selection;
  onClose: () => void;
  onDone: (id: number) => void;
}

/** The last question: to how many contacts it is done. */
const ManyForm = ({ kind, title, selection, onClose, onDone }: ManyFormProps): JSX.Element => {
  const text = useText(contactsText);
  const { groups, tags } = useLabels();
  const labels = kind === 'add_tags' || kind === 'remove_tags' ? tags : groups;
  const { values, set, problem, submitting } = useForm(
    { label: '', format: 'csv', isOn: false },
    async (given, call) => (await api.createContactJob({ body: { ...selection, ...workOf(kind, given) } }, call)).data,
    (job) => {
      void refresh('listContactJobs');
      onDone(job.id);
    },
  );
  const needsLabel = kind !== 'bot' && kind !== 'export';
  return (
    <FormDialog
      {...submitting}
      isChanged={false}
      title={title}
      action={title}
      isDisabled={needsLabel && values.label === ''}
      onClose={onClose}
    >
      <SelectionCount selection={selection} />
      {needsLabel && (
        <SelectField
          label={kind === 'add_tags' || kind === 'remove_tags' ? text.tag : text.group}
          value={values.label}
          problem={problem('change')}
          choices={[['', '–'], ...labels.map(({ id, name }) => [String(id), name] as const)]}
          onText={set('label')}
        />
      )}
      {kind === 'bot' && <CheckField label={text.manyBotOn} checked={values.isOn} onCheck={set('isOn')} />}
      {kind === 'export' && (
        <SelectField
          label={text.format}
          value={values.format}
          choices={[
            ['csv', 'CSV'],
            ['json', 'JSON'],
          ]}
          onText={set('format')}
        />
      )}
      <p className="muted">{kind === 'export' ? text.manyExportHint : text.manyHint}</p>
    </FormDialog>
  );
};

type Work = Pick<Input<'createContactJob'>['body'], 'change' | 'export'>;

const workOf = (kind: Kind, { label, format, isOn }: { label: string; format: string; isOn: boolean }): Work => {
  if (kind === 'export') return { export: format === 'json' ? 'json' : 'csv' };
  return { change: kind === 'bot' ? { enabled_ai_bot: isOn } : { [kind]: [Number(label)] } };
};

/** How many they are, before anything is done. */
const SelectionCount = ({ selection }: { selection: Selection }): JSX.Element => {
  const text = useText(contactsText);
  const { tag } = useLocale();
  const query = {
    limit: 1,
    ...('filter' in selection ? { filter_condition: JSON.stringify(selection.filter) } : {}),
    ...('segment_id' in selection ? { segment_id: selection.segment_id } : {}),
  };
  const isCounted = 'contact_ids' in selection;
  const { data } = useQuery({ ...read('listContacts', { query }), enabled: !isCounted });
  const words = (): ReactNode => {
    if (isCounted) return text.count(selection.contact_ids.length);
    if (!data) return '…';
    return data.meta.total_is_partial ? text.atLeast(formatCount(tag, data.meta.total)) : text.count(data.meta.total);
  };
  return (
    <p aria-live="polite">
      <strong>{words()}</strong>
    </p>
  );
};

const isRunning = ({ status }: ContactJob): boolean => status === 'queued' || status === 'running';

/** The jobs that run, and how the last one of this page ended. */
export const JobBar = ({ mine }: { mine: number | undefined }): JSX.Element | null => {
  const [closed, setClosed] = useState<number>();
  const { data } = useQuery({
    ...read('listContactJobs', { query: { limit: 5 } }),
    refetchInterval: ({ state }) => (state.data?.data.some(isRunning) ? 2_000 : false),
  });
  const jobs = (data?.data ?? []).filter((job) => isRunning(job) || (job.id === mine && job.id !== closed));
  if (jobs.length === 0) return null;
  return (
    <div className="job-bar" role="status">
      {jobs.map((job) => (
        <JobLine key={job.id} job={job} onClose={() => setClosed(job.id)} />
      ))}
    </div>
  );
};

const JobLine = ({ job, onClose }: { job: ContactJob; onClose: () => void }): JSX.Element => {
  const text = useText(contactsText);
  const { tag } = useLocale();
  const cancel = useWrite(
    (id: number, call) => api.cancelContactJob({ params: { id } }, call),
    () => refresh('listContactJobs'),
  );
  const { total, processed, changed, matched } = job.progress;
  const done = job.kind === 'export' ? text.wereExported(matched) : text.wereChanged(changed);
  return (
    <div className="row">
      {isRunning(job) ? (
        <>
          <progress max={Math.max(1, total)} value={processed} aria-label={text.jobProgress} />
          <span className="grow numbers">{text.jobOf(formatCount(tag, processed), formatCount(tag, total))}</span>
          <Button small isSoftDisabled={cancel.isPending} onClick={() => cancel.run(job.id)}>
            {text.stopJob}
          </Button>
        </>
      ) : (
        <>
          <span className="grow">{job.status === 'cancelled' ? text.wasStopped(changed) : done}</span>
          {job.files.map(({ url }, nth) => (
            <a key={url} className="button small" href={url} download>
              <Icon name="download" />
              {text.nthFile(nth + 1)}
            </a>
          ))}
          <Button small look="quiet" icon="close" label={text.closeJob} onClick={onClose} />
        </>
      )}
    </div>
  );
};
