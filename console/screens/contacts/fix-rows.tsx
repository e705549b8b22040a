import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { ContactImport } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { TextField } from '../../components/fields.tsx';
import { Section } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Shown } from '../../components/shown.tsx';
import { api } from '../../data/client.ts';
import { csvOf } from '../../data/csv.ts';
import { useWrite } from '../../data/forms.ts';
import { refresh } from '../../data/queries.ts';
import { contactsText } from '../../text/contacts.ts';
import { useText } from '../../text/text.ts';
import { type FailedRows, failedRowsIn } from './import-file.ts';
import { type Started, uploadImport } from './upload-import.ts';

/** As many rows as are read and mended by hand; the others are in the file. */
const mostRows = 100;

interface FixRowsProps {
  job: ContactImport;
  made: Started;
  onMade: (made: Started) => void;
}

/** The rows that failed, each cell a field; what is mended is imported as the file was. */
export const FixRows = ({ job: { id, errors_url: address }, made, onMade }: FixRowsProps): JSX.Element => {
  const text = useText(contactsText);
  const query = useQuery({
    queryKey: ['failedRows', id],
    queryFn: async ({ signal }) => {
      const answer = await fetch(address ?? '', { signal });
      if (!answer.ok) throw new Error(text.noFailedRows);
      return failedRowsIn(await answer.text());
    },
    // an edit is of the rows that were read, whose signed address changes
    staleTime: Infinity,
    retry: false,
  });
  return (
    <Section title={text.fixRows} hint={text.fixRowsHint}>
      <Shown query={query}>{(failed) => <Rows failed={failed} made={made} onMade={onMade} />}</Shown>
    </Section>
  );
};

const Rows = ({ failed: { columns, rows }, made, onMade }: { failed: FailedRows } & Pick<FixRowsProps, 'made' | 'onMade'>): JSX.Element => {
  const text = useText(contactsText);
  const [edits, setEdits] = useState<Readonly<Record<string, string>>>({});
  const shown = rows.slice(0, mostRows);
  const nameOf = (line: string, place: number): string => `${line}:${place}`;
  const send = useWrite(
    async (_: undefined, call) => {
      const given = shown.map(({ line, cells }) => cells.map((cell, place) => edits[nameOf(line, place)] ?? cell));
      const csv = csvOf(
        columns.map((name, place) => ({ name, value: (cells: readonly string[]) => cells[place] })),
        given,
      );
      const started = await uploadImport(new File([csv], made.filename, { type: 'text/csv' }), made, call);
      await api.startImport({ params: { id: started.id } });
      return started;
    },
    (started) => {
      void refresh('listImports');
      onMade(started);
    },
  );
  return (
    <>
      {rows.length > shown.length && <p className="muted">{text.fixFirst(shown.length, rows.length)}</p>}
      <div className="stack">
        {shown.map(({ line, reasons, cells }) => (
          <fieldset key={line} className="card fix-row" aria-label={text.lineNumber(line)}>
            <p>
              <strong>{text.lineNumber(line)}</strong>{' '}
              <span className="bad-text" dir="auto">
                {reasons}
              </span>
            </p>
            <div className="pair">
              {cells.map((cell, place) => (
                <TextField
                  key={columns[place]}
                  label={columns[place] ?? ''}
                  dir="auto"
                  value={edits[nameOf(line, place)] ?? cell}
                  onText={(value) => setEdits((before) => ({ ...before, [nameOf(line, place)]: value }))}
                />
              ))}
            </div>
          </fieldset>
        ))}
      </div>
      {send.error && <ProblemCard error={send.error} />}
      <div>
        <Button look="primary" isSoftDisabled={send.isPending} onClick={() => send.run(undefined)}>
          {text.importThese}
        </Button>
      </div>
    </>
  );
};
