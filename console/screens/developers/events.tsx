import { type JSX, useMemo, useRef } from 'react';
import { Link } from '@tanstack/react-router';
import type { Event } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Copyable } from '../../components/basics.tsx';
import { idColumn, opening, times } from '../../components/columns.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { FilterText } from '../../components/filter-text.tsx';
import { Icon } from '../../components/icons.tsx';
import { Facts } from '../../components/page.tsx';
import type { Column } from '../../components/table.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { Time } from '../../components/time.tsx';
import { useFilter } from '../../data/search.ts';
import { useUsers } from '../../data/session.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { CodeBox } from '../../components/code-box.tsx';
import { type EventFilter, useEventLog } from './event-log.ts';
import { placeOf } from './event-subject.ts';

/** The event log of 30 days, newest first, of all or of one record; what happens now comes on top by itself. */
const Events = (): JSX.Element => {
  const text = useText(developersText);
  const [types, setTypes] = useFilter('types');
  const [subject, setSubject] = useFilter('subject');
  const [opened, setOpened] = useFilter('event');
  const box = useRef<HTMLDivElement>(null);
  const { log, query, rows, held, showHeld, readOn } = useEventLog({ types, subject }, box);
  useInspectable({
    title: text.events,
    ...(subject === undefined ? {} : { subject }),
    call: { operation: 'listEvents', input: { query } },
  });
  const cause = useCause();
  // of many rows, and with each batch of events: those that are as they were are not drawn again
  const columns = useMemo(
    (): Column<Event>[] => [
      opening({ id: 'type', name: text.type, width: 'minmax(8rem, 2fr)', value: ({ type }) => type }, setOpened),
      {
        id: 'subject',
        name: text.subject,
        width: 'minmax(7rem, 2fr)',
        value: (event) => event.subject,
        cell: (event) => <Subject subject={event.subject} />,
      },
      { id: 'by', name: text.by, width: 'minmax(6rem, 1fr)', value: cause, isExtra: true },
      idColumn(),
      times('at', text.time, { width: '9rem', isNumber: true, isExact: true }),
    ],
    [text, cause, setOpened],
  );
  const isFiltered = types !== undefined || subject !== undefined;
  const shown = rows.find(({ id }) => id === opened);
  return (
    <TablePage
      title={text.events}
      file="events"
      query={log}
      rows={rows}
      columns={columns}
      leading={
        held > 0 ? (
          <Button small icon="refresh" onClick={showHeld}>
            {text.someEvents(held)}
          </Button>
        ) : (
          <span className="live">{text.live}</span>
        )
      }
      filters={<Filters types={types} subject={subject} onTypes={setTypes} onSubject={setSubject} />}
      empty={{
        icon: 'bolt',
        title: isFiltered ? text.noMatch : text.noEvents,
        hint: isFiltered ? undefined : text.noEventsHint,
        more: log.hasNextPage && <Button onClick={readOn}>{text.lookBack}</Button>,
      }}
      onEnd={readOn}
      boxRef={box}
    >
      {shown && (
        <EventDialog
          event={shown}
          cause={cause(shown)}
          onClose={() => setOpened(undefined)}
          onSubject={() => {
            setOpened(undefined);
            setSubject(shown.subject);
          }}
        />
      )}
    </TablePage>
  );
};
export default Events;

const families =
  'message conversation contact lead task campaign template number order cart user credential company webhook_endpoint rate_card spend_ceilings token_ceiling spend'
    .split(' ')
    .map((each) => `${each}.*`);

const Filters = ({
  types,
  subject,
  onTypes,
  onSubject,
}: EventFilter & Record<'onTypes' | 'onSubject', (value: string | undefined) => void>): JSX.Element => {
  const text = useText(developersText);
  const others = types === undefined || families.includes(types) ? [] : [types];
  return (
    <>
      <FilterSelect
        label={text.family}
        value={types}
        choices={[['', text.all], ...[...families, ...others].map((each) => [each, each] as const)]}
        onText={onTypes}
      />
      <FilterText label={text.subjectFilter} placeholder={text.subjectHint} value={subject} onText={onSubject} />
      {(types !== undefined || subject !== undefined) && (
        <Button
          look="quiet"
          small
          onClick={() => {
            onTypes(undefined);
            onSubject(undefined);
          }}
        >
          {text.clearFilters}
        </Button>
      )}
    </>
  );
};

/** Who caused an event, in words. */
const useCause = (): ((event: Event) => string) => {
  const text = useText(developersText);
  const users = useUsers();
  return useMemo(
    () =>
      ({ by }) => {
        const name = users.find(({ id }) => id === by.user_id)?.name;
        return name ?? (by.kind === 'token' && by.credential_id !== null ? `${text.token} ${by.credential_id}` : text[by.kind]);
      },
    [users, text],
  );
};

const Subject = ({ subject }: { subject: string }): JSX.Element => {
  const place = placeOf(subject);
  if (place === undefined) return <code>{subject}</code>;
  return (
    <Link {...place}>
      <code>{subject}</code>
    </Link>
  );
};

type EventDialogProps = { event: Event; cause: string; onClose: () => void; onSubject: () => void };
const EventDialog = ({ event, cause, onClose, onSubject }: EventDialogProps): JSX.Element => {
  const text = useText(developersText);
  const place = placeOf(event.subject);
  return (
    <Dialog
      title={event.type}
      onClose={onClose}
      wide
      footer={
        <>
          <Button onClick={onSubject}>{text.onlyThis}</Button>
          {place !== undefined && (
            <Link className="button" {...place}>
              <Icon name="right" />
              {text.openRecord}
            </Link>
          )}
        </>
      }
    >
      <Facts
        facts={[
          [text.time, <Time key="at" at={event.at} exact />],
          [text.by, cause],
          [text.subject, <Copyable key="subject" value={event.subject} />],
          ['Id', <Copyable key="id" value={event.id} />],
        ]}
      />
      <CodeBox label={text.details} value={JSON.stringify(event, undefined, 2)} />
    </Dialog>
  );
};
