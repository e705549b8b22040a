import { type JSX, useEffect } from 'react';
import { Link } from '@tanstack/react-router';
import { Badge, Button, Loading } from '../../components/basics.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { CsvButton } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useRows } from '../../data/pages.ts';
import { refresh } from '../../data/queries.ts';
import { formatPhone } from '../../data/phone.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useText } from '../../text/text.ts';

/** Who answered and with what, newest first; from there to the conversation. */
export const Replies = ({ id, count }: { id: number; count: number }): JSX.Element | null => {
  const text = useText(campaignsText);
  const { rows, error, isPending, hasMore, readOn, refetch } = useRows('listCampaignReplies', { params: { id }, query: { limit: 20 } });
  useEffect(() => void refresh('listCampaignReplies'), [count]);
  if (count === 0 && rows.length === 0) return null;
  return (
    <section className="campaign-part">
      <div className="row">
        <h2 className="grow">{text.replies(count)}</h2>
        <CsvButton
          name={`campaign-${id}-replies`}
          of={text.replies(count)}
          rows={rows}
          columns={[
            { name: text.from, value: ({ name }) => name },
            { name: text.phone, value: ({ phone }) => phone },
            { name: text.reply, value: ({ text: answer }) => answer },
            { name: text.outOptedOut, value: ({ opted_out: out }) => out },
            { name: text.at, value: ({ replied_at: at }) => at },
          ]}
        />
      </div>
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {isPending && !error && <Loading rows={2} />}
      {rows.length > 0 && (
        <ScrolledTable
          name={text.replies(count)}
          columns={[text.from, text.reply, text.at]}
          rows={rows.map(({ contact_id, name, phone, text: answer, opted_out, replied_at }) => ({
            key: String(contact_id),
            cells: [
              <Link key="to" to="/inbox/$id" params={{ id: contact_id }}>
                <bdi>{name ?? (phone === null ? text.deletedContact : formatPhone(phone))}</bdi>
              </Link>,
              <span key="text" className="row" dir="auto">
                {answer === null ? <span className="muted">{text.noText}</span> : <span className="reply-text cut">{answer}</span>}
                {opted_out && <Badge look="warn">{text.outOptedOut}</Badge>}
              </span>,
              <Time key="at" at={replied_at} exact />,
            ],
          }))}
        />
      )}
      {hasMore && <Button onClick={readOn}>{text.more}</Button>}
    </section>
  );
};
