import { type JSX, type RefObject, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Event } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Copyable, Empty, Loading } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { Icon } from '../../components/icons.tsx';
import { Facts, Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { type Column, CsvButton, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { api } from '../../data/client.ts';
import { useEvents } from '../../data/events.ts';
import { shareRows } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useUsers } from '../../data/session.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { CodeBox } from './code-box.tsx';
import { placeOf } from './event-subject.ts';
import { FilterText } from './filter-text.tsx';

const families = [
  'message.*',
  'conversation.*',
  'contact.*',
  'lead.*',
  'task.*',
  'campaign.*',
  'template.*',
  'number.*',
  'order.*',
  'cart.*',
  'user.*',
  'credential.*',
  'company.*',
  'webhook_endpoint.*',
];

/** The event log of 30 days, newest first, of all or of one record; what happens now comes on top by itself. */
const Events = (): JSX.Element => {
  const text = useText(developersText);
  const [types, setTypes] = useFilter('types');
  const [subject, setSubject] = useFilter('subject');
  const [opened, setOpened] = useFilter('event');
  const query = useMemo(
    () => ({ limit: 100, ...(types === undefined ? {} : { types }), ...(subject === undefined ? {} : { subject }) }),
    [types, subject],
  );
  const { data, error, isPending, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['listEvents', { query }, 'log'],
    queryFn: async ({ signal, pageParam }) => {
      const before = pageParam ?? (await endOfLog(signal));
      return api.listEvents({ query: { ...query, before } }, { signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => (meta.has_more ? meta.next_cursor : undefined),
    structuralSharing: shareRows,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  const logged = useMemo(() => (data?.pages ?? []).flatMap((page) => page.data.toReversed()), [data]);
  const box = useRef<HTMLDivElement>(null);
  const { came, held, showHeld } = useNewEvents(box, types, subject);
  const onTop = useMemo(
    () => came.filter((event) => isOf(event, types, subject) && isAfter(event, logged[0])).toReversed(),
    [came, types, subject, logged],
  );
  const hasMuchOnTop = onTop.length > mostOnTop && !isFetching;
  useEffect(() => {
    if (hasMuchOnTop) void refetch();
  }, [hasMuchOnTop, refetch]);
  // drawn between two frames, however many rows are new
  const all = useMemo(() => (onTop.length === 0 ? logged : [...onTop, ...logged]), [onTop, logged]);
  const drawn = useDeferredValue(all);
  const rows = drawn.length === 0 ? all : drawn;
  useInspectable({
    title: text.events,
    ...(subject === undefined ? {} : { subject }),
    call: { operation: 'listEvents', input: { query } },
  });
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  // a rare type may not be among the events that one call looks through
  const pages = data?.pages.length ?? 0;
  const isSparse = rows.length < 20 && pages > 0 && pages % pagesAtOnce !== 0;
  useEffect(() => {
    if (isSparse) readOn();
  }, [isSparse, readOn]);
  const cause = useCause();
  const columns = useMemo(
    (): Column<Event>[] => [
      {
        id: 'type',
        name: text.type,
        width: 'minmax(8rem, 2fr)',
        value: ({ type }) => type,
        cell: ({ id, type }) => (
          <button type="button" className="row-link" onClick={() => setOpened(id)}>
            <code>{type}</code>
          </button>
        ),
      },
      {
        id: 'subject',
        name: text.subject,
        width: 'minmax(7rem, 2fr)',
        value: (event) => event.subject,
        cell: (event) => <Subject subject={event.subject} />,
      },
      { id: 'by', name: text.by, width: 'minmax(6rem, 1fr)', value: cause, isExtra: true },
      {
        id: 'id',
        name: 'Id',
        width: 'minmax(6rem, 1fr)',
        value: ({ id }) => id,
        cell: ({ id }) => <code className="muted">{id}</code>,
        isExtra: true,
      },
      { id: 'at', name: text.time, width: '4rem', value: ({ at }) => at, cell: ({ at }) => <Time at={at} />, isNumber: true },
    ],
    [text, cause, setOpened],
  );
  const isFiltered = types !== undefined || subject !== undefined;
  const shown = rows.find(({ id }) => id === opened);
  return (
    <Page
      title={text.events}
      isTable
      actions={
        <>
          {held > 0 ? (
            <Button small icon="refresh" onClick={showHeld}>
              {text.someEvents(held)}
            </Button>
          ) : (
            <span className="live">{text.live}</span>
          )}
          <CsvButton name="events" columns={columns} rows={rows} />
        </>
      }
      filters={
        <>
          <FilterSelect
            label={text.family}
            value={types}
            choices={[
              ['', text.all],
              ...families.map((each) => [each, each] as const),
              ...(types === undefined || families.includes(types) ? [] : [[types, types] as const]),
            ]}
            onText={setTypes}
          />
          <FilterText label={text.subjectFilter} placeholder={text.subjectHint} value={subject} onText={setSubject} />
          {isFiltered && (
            <Button
              look="quiet"
              small
              onClick={() => {
                setTypes(undefined);
                setSubject(undefined);
              }}
            >
              {text.clearFilters}
            </Button>
          )}
        </>
      }
    >
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {isPending && !error && <Loading />}
      {!isPending && !error && rows.length === 0 && (
        <Empty icon="bolt" title={isFiltered ? text.noMatch : text.noEvents}>
          {!isFiltered && <p>{text.noEventsHint}</p>}
          {hasNextPage && <Button onClick={readOn}>{text.lookBack}</Button>}
        </Empty>
      )}
      {rows.length > 0 && <Table label={text.events} columns={columns} rows={rows} keyOf={({ id }) => id} onEnd={readOn} boxRef={box} />}
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
    </Page>
  );
};
export default Events;

/** Calls in a row that look for events of a filter, before the reader must press a button. */
const pagesAtOnce = 10;

/** From here on the log is read again, so that a page that stays open for days holds no more than it shows. */
const mostOnTop = 300;

/** An event's place in the log: `item.nth`. */
const isAfter = ({ id }: Event, other: Event | undefined): boolean => {
  const [item = 0, nth = 0] = id.split('.').map(Number);
  const [otherItem = -1, otherNth = 0] = (other?.id ?? '-1').split('.').map(Number);
  return item > otherItem || (item === otherItem && nth > otherNth);
};

/** The events that came while the page is open, oldest first. Who has scrolled decides when: rows that come on top would move what is read. */
const useNewEvents = (box: RefObject<HTMLDivElement | null>, types: string | undefined, subject: string | undefined) => {
  const [came, setCame] = useState<readonly Event[]>([]);
  const waiting = useRef<readonly Event[]>([]);
  const [held, setHeld] = useState(0);
  const showHeld = useCallback((): void => {
    const events = waiting.current;
    waiting.current = [];
    setHeld(0);
    setCame((before) => [...before, ...events].slice(-2 * mostOnTop));
    box.current?.scrollTo({ top: 0 });
  }, [box]);
  useEvents(
    useCallback(
      (events) => {
        if (!events.some((event) => isOf(event, types, subject))) return;
        waiting.current = [...waiting.current, ...events];
        if ((box.current?.scrollTop ?? 0) > 0) setHeld(waiting.current.filter((event) => isOf(event, types, subject)).length);
        else showHeld();
      },
      [box, types, subject, showHeld],
    ),
  );
  // another filter is read anew
  useEffect(() => showHeld, [types, subject, showHeld]);
  return { came, held, showHeld };
};

/** A place behind the last event: looking back from there is looking back from now. */
const endOfLog = async (signal: AbortSignal): Promise<string> => {
  const { meta } = await api.listEvents({ query: { limit: 1 } }, { signal });
  return String(Number(meta.next_cursor.split('.')[0]) + 1);
};

const isOf = (event: Event, types: string | undefined, subject: string | undefined): boolean =>
  (subject === undefined || event.subject === subject) &&
  (types === undefined ||
    types.split(',').some((each) => each === event.type || (each.endsWith('.*') && event.type.startsWith(each.slice(0, -1)))));

/** Who caused an event, in words. */
const useCause = (): ((event: Event) => string) => {
  const text = useText(developersText);
  const users = useUsers();
  return useCallback(
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
    <Link to={place as never}>
      <code>{subject}</code>
    </Link>
  );
};

const EventDialog = ({
  event,
  cause,
  onClose,
  onSubject,
}: {
  event: Event;
  cause: string;
  onClose: () => void;
  onSubject: () => void;
}): JSX.Element => {
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
            <Link className="button" to={place as never}>
              <Icon name="right" />
              {text.openRecord}
            </Link>
          )}
        </>
      }
    >
      <Facts
        facts={[
          [text.time, <Time key="at" at={event.at} long />],
          [text.by, cause],
          [text.subject, <Copyable key="subject" value={event.subject} />],
          ['Id', <Copyable key="id" value={event.id} />],
        ]}
      />
      <CodeBox label={text.details} value={JSON.stringify(event, undefined, 2)} />
    </Dialog>
  );
};
