import type { JSX } from 'react';
import type { Answer } from '../../data/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { type BadgeLook, Button, Copyable, State } from '../../components/basics.tsx';
import { badges, opening, times } from '../../components/columns.tsx';
import { Dialog, useDialog } from '../../components/dialog.tsx';
import { FilterDay } from '../../components/filter-day.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { Facts } from '../../components/page.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { Time } from '../../components/time.tsx';
import { useRows } from '../../data/pages.ts';
import { useFilter } from '../../data/search.ts';
import { verificationText } from '../../text/verification.ts';
import { type TextOf, useText } from '../../text/text.ts';
import { EndTrust } from './end-trust.tsx';
import { useProfiles } from './profiles.tsx';
import { reasonName } from './reasons.ts';

type Listed = Answer<'listVerificationRequests'>['data'][number];
type Row = Listed & { id: string };
const states = ['pending', 'verified', 'expired', 'failed', 'blocked'] as const;

const stateOf = (text: TextOf<typeof verificationText>, status: Listed['status']): { name: string; look: BadgeLook | undefined } =>
  ({
    pending: { name: text.pending, look: 'info' as const },
    verified: { name: text.verified, look: 'good' as const },
    expired: { name: text.expired, look: undefined },
    failed: { name: text.failed, look: 'bad' as const },
    blocked: { name: text.blocked, look: 'warn' as const },
  })[status];

/** Each request of a code in the last 30 days, masked, and how it ended. */
const Requests = (): JSX.Element => {
  const text = useText(verificationText);
  const [status, setStatus] = useFilter('status');
  const [day, setDay] = useFilter('day');
  const [opened, setOpened] = useFilter('entry');
  const { profile, profiles, nameOf, filter } = useProfiles();
  const { dialog, open, close } = useDialog();
  const wanted = states.find((each) => each === status);
  const input = {
    query: {
      limit: 50,
      ...(wanted === undefined ? {} : { status: wanted }),
      ...(profile === undefined ? {} : { profile_id: profile }),
      ...rangeOf(day),
    },
  };
  const { rows: found, hasMore, readOn, ...query } = useRows('listVerificationRequests', input);
  useInspectable({ title: text.requests, call: { operation: 'listVerificationRequests', input } });
  const rows = found.map((each): Row => ({ ...each, id: each.request_id }));
  const shown = rows.find(({ id }) => id === opened);
  return (
    <TablePage
      title={text.requests}
      file="verification-requests"
      query={query}
      rows={rows}
      columns={[
        opening<Row>({ id: 'identifier', name: text.who, width: 'minmax(8rem, 1fr)', value: ({ identifier }) => identifier }, setOpened),
        badges<Row>(
          { id: 'status', name: text.state, width: '7rem', value: (row) => stateOf(text, row.status).name },
          (row) => stateOf(text, row.status).look,
        ),
        { id: 'channel', name: text.channel, width: '7rem', value: ({ channel }) => channel, isExtra: true },
        { id: 'profile', name: text.profile, width: 'minmax(6rem, 1fr)', value: ({ profile_id: id }) => nameOf(id), isExtra: true },
        {
          id: 'reason',
          name: text.reason,
          width: 'minmax(6rem, 1fr)',
          value: ({ reason }) => (reason === null ? '' : reasonName(text, reason)),
          isExtra: true,
        },
        times('created_at', text.time, { width: '9rem', isNumber: true, isExact: true, isExtra: true }),
      ]}
      actions={
        profiles.length > 0 && (
          <Button onClick={() => open(<EndTrust profiles={profiles} profile={profile} onClose={close} />)}>{text.endTrust}</Button>
        )
      }
      filters={
        <>
          <FilterSelect
            label={text.state}
            value={status}
            choices={[['', text.all], ...states.map((each) => [each, stateOf(text, each).name] as const)]}
            onText={setStatus}
          />
          {filter}
          <FilterDay label={text.day} value={day} onText={setDay} />
        </>
      }
      empty={{
        icon: 'list',
        title: wanted === undefined && profile === undefined && day === undefined ? text.none : text.noneOfThese,
        hint: text.noneHint,
      }}
      hasMore={hasMore}
      onEnd={readOn}
    >
      {dialog}
      {shown && <Story request={shown} profile={nameOf(shown.profile_id)} onClose={() => setOpened(undefined)} />}
    </TablePage>
  );
};
export default Requests;

/** The whole of a UTC day, as the report counts them; what is no day narrows nothing. */
const rangeOf = (day: string | undefined): { from?: string; to?: string } =>
  day !== undefined && !Number.isNaN(Date.parse(day)) ? { from: `${day}T00:00:00.000Z`, to: `${day}T23:59:59.999Z` } : {};

/** One request without its code: what was sent, what was tried, and how it ended. */
const Story = ({ request, profile, onClose }: { request: Row; profile: string; onClose: () => void }): JSX.Element => {
  const text = useText(verificationText);
  const { name, look } = stateOf(text, request.status);
  return (
    <Dialog title={request.identifier} onClose={onClose}>
      <Facts
        facts={[
          [text.state, <State key="state" name={name} look={look} />],
          request.reason === null ? undefined : [text.reason, reasonName(text, request.reason)],
          [text.profile, profile],
          [text.channel, request.channel],
          [text.purpose, request.purpose],
          [text.codes, String(request.codes)],
          request.attempts === null ? undefined : [text.attempts, String(request.attempts)],
          [text.began, <Time key="began" at={request.created_at} exact />],
          request.ended_at === null ? undefined : [text.ended, <Time key="ended" at={request.ended_at} exact />],
          ['Id', <Copyable key="id" value={request.request_id} />],
        ]}
      />
    </Dialog>
  );
};
