import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { ContactImport } from '../../../client/client.ts';
import { type BadgeLook, Button, State } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { Section } from '../../components/page.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Shown } from '../../components/shown.tsx';
import { CsvButton } from '../../components/table.tsx';
import { formatCount, Time } from '../../components/time.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { contactsText } from '../../text/contacts.ts';
import { useLocale, useText } from '../../text/text.ts';
import { isRunning } from './import-state.ts';

/** The imports before this one, of all users and tabs: how far each is, how it ended, and its rows that failed. */
export const ImportHistory = (): JSX.Element | null => {
  const text = useText(contactsText);
  const { tag } = useLocale();
  const query = useQuery({
    ...read('listImports', { query: { limit: 20 } }),
    refetchInterval: ({ state }) => (state.data?.data.some(isRunning) ? 2_000 : false),
  });
  // a file that was never uploaded is no import
  const begun = query.data?.data.filter(({ status }) => status !== 'awaiting_upload');
  const stateOf = useStates();
  if (begun?.length === 0) return null;
  return (
    <Section title={text.imports}>
      <Shown query={{ ...query, data: begun }} rows={3}>
        {(imports) => (
          <div className="stack">
            <div className="row">
              <span className="grow" />
              <CsvButton
                name="imports"
                of={text.imports}
                columns={[
                  { name: text.file, value: ({ filename }: ContactImport) => filename },
                  { name: text.importState, value: (each: ContactImport) => stateOf(each).name },
                  { name: text.becomesNew, value: ({ progress }: ContactImport) => progress.created },
                  { name: text.becomesChanged, value: ({ progress }: ContactImport) => progress.updated },
                  { name: text.becomesFailed, value: ({ progress }: ContactImport) => progress.failed + progress.skipped_limit },
                  { name: text.importedAt, value: ({ created_at: at }: ContactImport) => at },
                ]}
                rows={imports}
              />
            </div>
            <ScrolledTable
              name={text.imports}
              columns={[
                text.file,
                text.importState,
                text.becomesNew,
                text.becomesChanged,
                text.becomesFailed,
                text.importedAt,
                text.actions,
              ]}
              isNumber={(column) => column >= 2 && column <= 4}
              rows={imports.map((each) => ({
                key: String(each.id),
                cells: [
                  <bdi key="file">{each.filename}</bdi>,
                  <State key="state" {...stateOf(each)} />,
                  formatCount(tag, each.progress.created),
                  formatCount(tag, each.progress.updated),
                  formatCount(tag, each.progress.failed + each.progress.skipped_limit),
                  <Time key="at" at={each.created_at} exact />,
                  <Ways key="ways" of={each} />,
                ],
              }))}
            />
          </div>
        )}
      </Shown>
    </Section>
  );
};

const useStates = (): ((of: ContactImport) => { name: string; look: BadgeLook | undefined }) => {
  const text = useText(contactsText);
  return ({ status }) =>
    ({
      awaiting_upload: { name: text.importWaits, look: undefined },
      queued: { name: text.importWaits, look: 'info' as const },
      running: { name: text.importRuns, look: 'info' as const },
      completed: { name: text.importCompleted, look: undefined },
      failed: { name: text.importBroke, look: 'bad' as const },
      cancelled: { name: text.importStopped, look: 'warn' as const },
    })[status];
};

/** Ends one that runs, or has the rows that failed as a file. */
const Ways = ({ of }: { of: ContactImport }): JSX.Element | null => {
  const text = useText(contactsText);
  if (isRunning(of)) return <StopImport id={of.id} name={of.filename} />;
  if (of.errors_url === null) return null;
  return (
    <a className="button small" href={of.errors_url} download aria-label={`${text.downloadErrors}: ${of.filename}`}>
      <Icon name="download" />
    </a>
  );
};

/** What was imported stays; the rest of the file is not read. */
export const StopImport = ({ id, name }: { id: number; name: string }): JSX.Element => {
  const text = useText(contactsText);
  const stop = useWrite(
    (_: undefined, call) => api.cancelImport({ params: { id } }, call),
    () => refresh('getImport', 'listImports'),
  );
  return (
    <>
      {stop.error && <ProblemCard error={stop.error} />}
      <Button small isSoftDisabled={stop.isPending} aria-label={`${text.stopImport}: ${name}`} onClick={() => stop.run(undefined)}>
        {text.stopImport}
      </Button>
    </>
  );
};
