import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useNumber } from '../../components/charts/frame.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { Shown } from '../../components/shown.tsx';
import { CsvButton } from '../../components/table.tsx';
import { read } from '../../data/queries.ts';
import { useText } from '../../text/text.ts';
import { verificationText } from '../../text/verification.ts';
import { type ReasonRow, reasonRows } from './reason-rows.ts';
import { reasonName } from './reasons.ts';

interface Of {
  range: { from: string; to: string };
  profile: string | undefined;
}

/** Why requests failed or were blocked, the most frequent reason first. */
export const ByReason = ({ range, profile }: Of): JSX.Element => {
  const query = useQuery(
    read('getVerificationReport', {
      query: { ...range, by: 'reason' as const, ...(profile === undefined ? {} : { profile_id: profile }) },
    }),
  );
  return <Shown query={query}>{({ data }) => <Reasons rows={reasonRows(data)} profile={profile} />}</Shown>;
};

const Reasons = ({ rows, profile }: { rows: readonly ReasonRow[]; profile: string | undefined }): JSX.Element | null => {
  const text = useText(verificationText);
  const number = useNumber();
  if (rows.length === 0) return null;
  const together = rows.reduce((sum, { count }) => sum + count, 0);
  const nameOf = ({ reason }: ReasonRow): string => (reason === null ? text.reasonUncounted : reasonName(text, reason));
  const channelOf = ({ channel }: ReasonRow): string => (channel === 'email' ? text.email : 'WhatsApp');
  const columns = [
    { name: text.reason, value: nameOf },
    { name: text.requests, value: ({ count }: ReasonRow) => count },
    { name: text.ofThese, value: ({ count }: ReasonRow) => number(count / together, 'percent') },
    { name: text.state, value: ({ status }: ReasonRow) => text[status] },
    { name: text.channel, value: channelOf },
  ];
  return (
    <section className="stack">
      <div className="row">
        <h2 className="grow">{text.byReason}</h2>
        <CsvButton name="verification-by-reason" of={text.byReason} columns={columns} rows={rows} />
      </div>
      <p className="muted">{text.byReasonHint}</p>
      <ScrolledTable
        name={text.byReason}
        columns={columns.map(({ name }) => name)}
        isNumber={(column) => column === 1 || column === 2}
        rows={rows.map((row) => ({
          key: `${row.status} ${row.channel} ${row.reason}`,
          cells: [
            <Link
              key="reason"
              to="/verification/requests"
              search={{ status: row.status, ...(profile === undefined ? {} : { in: profile }) }}
            >
              {nameOf(row)}
            </Link>,
            number(row.count),
            number(row.count / together, 'percent'),
            text[row.status],
            channelOf(row),
          ],
        }))}
      />
    </section>
  );
};
