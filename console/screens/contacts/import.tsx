import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ContactImport } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Badge, Button } from '../../components/basics.tsx';
import { DropFile } from '../../components/drop-file.tsx';
import { CheckField, SelectField } from '../../components/fields.tsx';
import { Page, Section } from '../../components/page.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Shown } from '../../components/shown.tsx';
import { formatCount } from '../../components/time.tsx';
import { api, type Answer } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { contactsText } from '../../text/contacts.ts';
import { useLocale, useText } from '../../text/text.ts';
import { FixRows } from './fix-rows.tsx';
import { beginningOf, type FileBeginning } from './import-file.ts';
import { ImportHistory, StopImport } from './import-history.tsx';
import { isRunning, shareRead } from './import-state.ts';
import { type Started, uploadImport } from './upload-import.ts';
import './contacts.css';

/** As much of a file as its columns and first rows are in. */
const beginningBytes = 64 * 1_024;

/** Contacts from a file: what its columns mean, what its first rows become, and how far it is; nothing is written before the last press. */
const ImportContacts = (): JSX.Element => {
  const text = useText(contactsText);
  const [file, setFile] = useState<{ file: File; beginning: FileBeginning }>();
  const [made, setMade] = useState<Started>();
  useInspectable({ title: text.importContacts, call: { operation: 'listImports', input: {} } });
  const choose = async (chosen: File): Promise<void> =>
    setFile({ file: chosen, beginning: beginningOf(await chosen.slice(0, beginningBytes).text()) });
  return (
    <Page title={text.importContacts}>
      {made === undefined ? (
        <>
          <Section title={text.file} hint={text.fileHint}>
            <DropFile label={text.file} accept=".csv,.txt,.tsv,text/csv" onFile={(chosen) => void choose(chosen)}>
              {file ? (
                <>
                  <strong dir="auto">{file.file.name}</strong> <span className="muted">{text.dropAnother}</span>
                </>
              ) : (
                <strong>{text.dropFile}</strong>
              )}
            </DropFile>
          </Section>
          {file && <Columns key={file.file.name + file.file.size} {...file} onMade={setMade} />}
          <ImportHistory />
        </>
      ) : (
        <Made key={made.id} made={made} onMade={setMade} onAgain={() => setMade(undefined)} />
      )}
    </Page>
  );
};
export default ImportContacts;

const meanings = ['phone', 'name', 'email', 'city', 'country', 'company', 'groups', 'tags', 'subscribed'] as const;

interface ColumnsProps {
  file: File;
  beginning: FileBeginning;
  onMade: (made: Started) => void;
}

/** What each column means, beside its first values; a column that is not chosen is known by its name, or left out. */
const Columns = ({ file, beginning: { columns, rows }, onMade }: ColumnsProps): JSX.Element => {
  const text = useText(contactsText);
  const own = (useQuery({ ...read('listFields'), staleTime: 5 * 60_000 }).data?.data ?? []).filter(({ is_active }) => is_active);
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const [subscribed, setSubscribed] = useState(false);
  const [share, setShare] = useState<number>();
  const send = useWrite(
    async (columns: Readonly<Record<string, string>>, call) => uploadImport(file, { columns, subscribed }, call, setShare),
    onMade,
  );
  const names: Readonly<Record<(typeof meanings)[number], string>> = {
    phone: text.phone,
    name: text.name,
    email: text.email,
    city: text.city,
    country: text.country,
    company: text.company,
    groups: text.groups,
    tags: text.tags,
    subscribed: text.subscribed,
  };
  const choices = [
    ['', text.byItsName],
    ...meanings.map((each) => [each, names[each]] as const),
    ...own.map(({ key, name }) => [`custom.${key}`, name] as const),
    ['ignored', text.leaveOut],
  ] as const;
  const named = Object.fromEntries(Object.entries(chosen).filter(([, meaning]) => meaning !== ''));
  return (
    <>
      <Section title={text.columns} hint={text.columnsHint}>
        {columns.map((column, place) => (
          <SelectField
            key={`${place} ${column}`}
            label={column}
            hint={rows
              .map((row) => row[place] ?? '')
              .filter(Boolean)
              .join(' · ')}
            value={chosen[column] ?? ''}
            choices={choices}
            onText={(meaning) => setChosen((before) => ({ ...before, [column]: meaning }))}
          />
        ))}
      </Section>
      <Section title={text.consent} hint={text.consentHint}>
        <CheckField label={text.allAgreed} hint={text.allAgreedHint} checked={subscribed} onCheck={setSubscribed} />
        {send.error && <ProblemCard error={send.error} />}
        <div>
          <Button look="primary" isSoftDisabled={send.isPending} onClick={() => send.run(named)}>
            {send.isPending ? `${text.uploading} ${Math.round((share ?? 0) * 100)} %` : text.check}
          </Button>
        </div>
      </Section>
    </>
  );
};

interface MadeProps {
  made: Started;
  onMade: (made: Started) => void;
  onAgain: () => void;
}

/** An import from its check to its end, and on with the rows that failed. */
const Made = ({ made, onMade, onAgain }: MadeProps): JSX.Element => {
  const text = useText(contactsText);
  const { id } = made;
  const [isFixing, setFixing] = useState(false);
  const input = { params: { id } };
  const query = useQuery({
    ...read('getImport', input),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data.data) ? 1_000 : false),
  });
  const start = useWrite(
    (_: undefined, call) => api.startImport(input, call),
    () => void refresh('getImport', 'listImports'),
  );
  return (
    <Shown query={query}>
      {({ data }) => (
        <>
          {start.error && <ProblemCard error={start.error} />}
          {data.status === 'awaiting_upload' ? (
            <Check id={id} isBusy={start.isPending} onStart={() => start.run(undefined)} onAgain={onAgain} />
          ) : (
            <Progress made={data} />
          )}
          {isFixing && data.errors_url !== null && <FixRows job={data} made={made} onMade={onMade} />}
          {!isRunning(data) && data.status !== 'awaiting_upload' && (
            <div className="row import-end">
              <Link
                className={isFixing ? 'button' : 'button primary'}
                to="/contacts"
                onClick={() => void refresh('listContacts', 'listGroups', 'listTags')}
              >
                {text.showContacts}
              </Link>
              {data.errors_url !== null && !isFixing && <Button onClick={() => setFixing(true)}>{text.fixRows}</Button>}
              <Button onClick={onAgain}>{text.anotherFile}</Button>
            </div>
          )}
        </>
      )}
    </Shown>
  );
};

type Row = Answer<'previewImport'>['data']['rows'][number];

/** What the first rows become, with the reasons of those that fail. */
const Check = ({
  id,
  isBusy,
  onStart,
  onAgain,
}: {
  id: number;
  isBusy: boolean;
  onStart: () => void;
  onAgain: () => void;
}): JSX.Element => {
  const text = useText(contactsText);
  const query = useQuery({ ...read('previewImport', { params: { id } }), retry: false });
  const names: Readonly<Record<Row['becomes'], string>> = {
    created: text.becomesNew,
    updated: text.becomesChanged,
    unchanged: text.becomesSame,
    failed: text.becomesFailed,
  };
  return (
    <Section title={text.checkTitle} hint={text.checkHint}>
      <Shown query={query}>
        {({ data: { columns, rows, error } }) =>
          error ? (
            <div className="notice bad" role="alert">
              {error.message}
            </div>
          ) : (
            <ScrolledTable
              name={text.checkTitle}
              columns={[text.line, text.becomes, ...columns.map(({ name }) => name), text.reason]}
              rows={rows.map((row) => ({
                key: String(row.line),
                cells: [
                  row.line,
                  <Badge key="becomes" look={row.becomes === 'failed' ? 'bad' : row.becomes === 'created' ? 'good' : ''}>
                    {names[row.becomes]}
                  </Badge>,
                  ...columns.map(({ meaning }) => row.values[meaning] ?? ''),
                  row.reasons,
                ],
              }))}
            />
          )
        }
      </Shown>
      <div className="row">
        <Button
          look="primary"
          isSoftDisabled={isBusy || query.data === undefined || query.data.data.error !== null}
          onClick={() => query.data?.data.error === null && onStart()}
        >
          {text.startImport}
        </Button>
        <Button onClick={onAgain}>{text.anotherFile}</Button>
      </div>
    </Section>
  );
};

const Progress = ({ made }: { made: ContactImport }): JSX.Element => {
  const { id, filename, status, progress, error, errors_url: errors } = made;
  const text = useText(contactsText);
  const { tag } = useLocale();
  const ended: Readonly<Partial<Record<ContactImport['status'], string>>> = {
    completed: text.importDone,
    failed: text.importFailed,
    cancelled: text.importWasStopped,
  };
  const counts = [
    [text.becomesNew, progress.created],
    [text.becomesChanged, progress.updated],
    [text.becomesSame, progress.unchanged],
    [text.becomesFailed, progress.failed],
    [text.overLimit, progress.skipped_limit],
  ] as const;
  return (
    <Section title={text.importContacts}>
      {isRunning(made) && (
        <div className="row">
          <progress className="grow" max={1} value={shareRead(made)} aria-label={text.jobProgress} />
          <StopImport id={id} name={filename} />
        </div>
      )}
      <p aria-live="polite">
        <strong>{ended[status] ?? text.rowsRead(progress.rows)}</strong>
      </p>
      {error && <p className="bad-text">{error.message}</p>}
      <ul className="left-out">
        {counts
          .filter(([, count]) => count > 0)
          .map(([name, count]) => (
            <li key={name}>
              {name}: <span className="numbers">{formatCount(tag, count)}</span>
            </li>
          ))}
      </ul>
      {errors !== null && (
        <div>
          <a className="button" href={errors} download>
            {text.downloadErrors}
          </a>
        </div>
      )}
    </Section>
  );
};
