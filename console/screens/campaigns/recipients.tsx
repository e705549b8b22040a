import type { JSX } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button, Loading, State } from '../../components/basics.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { Spinner } from '../../components/icons.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Time } from '../../components/time.tsx';
import { useRows } from '../../data/pages.ts';
import { formatPhone } from '../../data/phone.ts';
import { useFilter } from '../../data/search.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { type TextOf, useText } from '../../text/text.ts';
import { saveRecipients, type Status } from './campaign-csv.ts';

const states = ['scheduled', 'processing', 'sent', 'delivered', 'read', 'failed', 'skipped'] as const;

const nameOf = (text: TextOf<typeof campaignsText>, state: Status): string =>
  ({
    scheduled: text.waiting,
    processing: text.processing,
    sent: text.sent,
    delivered: text.delivered,
    read: text.read,
    failed: text.failedMessages,
    skipped: text.skipped,
  })[state];

/** Who gets it, with the state of each message; from there to the conversation. */
export const Recipients = ({ id }: { id: number }): JSX.Element => {
  const text = useText(campaignsText);
  const [status, setStatus] = useFilter('status');
  const wanted = states.find((each) => each === status);
  const input = { params: { id }, query: { limit: 50, ...(wanted === undefined ? {} : { status: wanted }) } };
  const { rows, error, isPending, hasMore, readOn, refetch } = useRows('listCampaignMessages', input);
  return (
    <section className="campaign-part">
      <div className="row">
        <h2 className="grow">{text.recipients}</h2>
        <SaveRecipients id={id} status={wanted} />
        <div className="filters">
          <FilterSelect
            label={text.state}
            value={status}
            choices={[['', text.all], ...states.map((each) => [each, nameOf(text, each)] as const)]}
            onText={setStatus}
          />
        </div>
      </div>
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {isPending && !error && <Loading />}
      {!isPending && rows.length === 0 && <p className="muted">{wanted === undefined ? text.notChosen : text.noMatch}</p>}
      {rows.length > 0 && (
        <ScrolledTable
          name={text.recipients}
          columns={[text.phone, text.state, text.reason, text.at]}
          rows={rows.map((each) => ({
            key: String(each.contact_id),
            cells: [
              <Link key="to" to="/inbox/$id" params={{ id: each.contact_id }}>
                {each.phone === null ? text.deletedContact : formatPhone(each.phone)}
              </Link>,
              <State key="state" name={nameOf(text, each.status_name)} look={each.status_name === 'failed' ? 'bad' : undefined} />,
              each.error?.title ?? '',
              <Time key="at" at={each.updated_at} exact />,
            ],
          }))}
        />
      )}
      {hasMore && <Button onClick={readOn}>{text.more}</Button>}
    </section>
  );
};

/** All of them as a file, those of the chosen state alone. */
const SaveRecipients = ({ id, status }: { id: number; status: Status | undefined }): JSX.Element => {
  const text = useText(campaignsText);
  const save = useMutation({ mutationFn: () => saveRecipients(id, status) });
  return (
    <>
      {save.error && <ProblemCard error={save.error} />}
      <Button icon="download" isSoftDisabled={save.isPending} onClick={() => save.mutate()}>
        {save.isPending && <Spinner />}
        {text.asFile}
      </Button>
    </>
  );
};
