import { type RefObject, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Event } from '../../../client/client.ts';
import { api } from '../../data/client.ts';
import { useEvents } from '../../data/events.ts';
import { shareRows } from '../../data/share-rows.ts';

/** Of which types, in the words of `listEvents`, and of which record. */
export interface EventFilter {
  types: string | undefined;
  subject: string | undefined;
}

/** Calls in a row that look for events of a filter, before the reader must press a button. */
const pagesAtOnce = 10;

/** From here on the log is read again, so that a page that stays open for days holds no more than it shows. */
const mostOnTop = 300;

/** The event log, newest first: what is read of it, with what happens now on top. `box` is what scrolls. */
export const useEventLog = ({ types, subject }: EventFilter, box: RefObject<HTMLDivElement | null>) => {
  const query = { limit: 100, ...(types === undefined ? {} : { types }), ...(subject === undefined ? {} : { subject }) };
  const log = useInfiniteQuery({
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
  const { data, hasNextPage, isFetching, fetchNextPage, refetch } = log;
  const { came, held, showHeld } = useNewEvents({ types, subject }, box);
  const { all, onTop } = useMemo(() => {
    const logged = (data?.pages ?? []).flatMap((page) => page.data.toReversed());
    const newer = came.filter((event) => isOf(event, { types, subject }) && isAfter(event, logged[0])).toReversed();
    return { all: [...newer, ...logged], onTop: newer.length };
  }, [data, came, types, subject]);
  const hasMuchOnTop = onTop > mostOnTop && !isFetching;
  useEffect(() => {
    if (hasMuchOnTop) void refetch();
  }, [hasMuchOnTop, refetch]);
  // drawn between two frames, however many rows are new
  const drawn = useDeferredValue(all);
  const rows = drawn.length === 0 ? all : drawn;
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  // a rare type may not be among the events that one call looks through
  const pages = data?.pages.length ?? 0;
  const isSparse = rows.length < 20 && pages > 0 && pages % pagesAtOnce !== 0;
  useEffect(() => {
    if (isSparse) readOn();
  }, [isSparse, readOn]);
  return { log, query, rows, held, showHeld, readOn };
};

/** An event's place in the log: `item.nth`. */
const isAfter = ({ id }: Event, other: Event | undefined): boolean => {
  const [item = 0, nth = 0] = id.split('.').map(Number);
  const [otherItem = -1, otherNth = 0] = (other?.id ?? '-1').split('.').map(Number);
  return item > otherItem || (item === otherItem && nth > otherNth);
};

/** The events that came while the page is open, oldest first. Who has scrolled decides when: rows that come on top would move what is read. */
const useNewEvents = ({ types, subject }: EventFilter, box: RefObject<HTMLDivElement | null>) => {
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
        if (!events.some((event) => isOf(event, { types, subject }))) return;
        waiting.current = [...waiting.current, ...events];
        if ((box.current?.scrollTop ?? 0) > 0) setHeld(waiting.current.filter((event) => isOf(event, { types, subject })).length);
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

const isOf = (event: Event, { types, subject }: EventFilter): boolean =>
  (subject === undefined || event.subject === subject) &&
  (types === undefined ||
    types.split(',').some((each) => each === event.type || (each.endsWith('.*') && event.type.startsWith(each.slice(0, -1)))));
