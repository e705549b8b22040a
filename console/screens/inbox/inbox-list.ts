import { useCallback, useDeferredValue, useMemo } from 'react';
import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Conversation } from '../../../client/client.ts';
import type { Answer } from '../../data/client.ts';
import { queryClient, readPages } from '../../data/queries.ts';
import { type InboxFilters, plainFilters } from '../../data/saved-views.ts';
import { useFilter, useSetFilters } from '../../data/search.ts';

export const views = ['open', 'unread', 'mine', 'unassigned', 'snoozed', 'automatic', 'closed'] as const;
export type View = (typeof views)[number];

export const useView = (): [View, (view: View) => void] => {
  const [given] = useFilter('view');
  const set = useSetFilters();
  const view = views.find((each) => each === given) ?? 'open';
  const setView = useCallback(
    (next: View) => set({ view: next === 'open' ? undefined : next, user: undefined, number: undefined, tag: undefined, waits: undefined }),
    [set],
  );
  return [view, setView];
};

/** What the address says of the list: its view, whose conversations, and what is searched for. */
export const useInboxFilters = (): InboxFilters => {
  const [view] = useView();
  const [user] = useFilter('user');
  const [number] = useFilter('number');
  const [tag] = useFilter('tag');
  const [waits] = useFilter('waits');
  const [q] = useFilter('q');
  const [place] = useFilter('in');
  return useMemo(
    () =>
      plainFilters({
        view,
        user: idIn(user),
        number: idIn(number),
        tag: idIn(tag),
        waits: waits === undefined ? undefined : true,
        q,
        in: place === 'texts' ? place : undefined,
      }),
    [view, user, number, tag, waits, q, place],
  );
};

const idIn = (given: string | undefined): number | undefined => (Number(given) > 0 ? Number(given) : undefined);

export const useListInput = () => {
  const [view] = useView();
  const filters = useInboxFilters();
  return useMemo(() => {
    const { q, user, number, tag, waits, in: place } = filters;
    const search = q === undefined ? {} : place === 'texts' ? { text: q } : { search: q };
    return {
      query: {
        view,
        limit: 50,
        ...search,
        ...(user === undefined ? {} : { assigned_to: user }),
        ...(number === undefined ? {} : { number_id: number }),
        ...(tag === undefined ? {} : { tag_id: tag }),
        ...(waits === undefined ? {} : { waiting: waits }),
      },
    };
  }, [view, filters]);
};

const rowsIn = (list: InfiniteData<Answer<'listConversations'>> | undefined): readonly Conversation[] =>
  list?.pages.flatMap(({ data }) => data) ?? [];

/** The conversations that the address names, as far as they were read. */
export const useInboxList = () => {
  const input = useListInput();
  const list = useInfiniteQuery({ ...readPages('listConversations', input), placeholderData: keepPreviousData });
  const conversations = useMemo(() => rowsIn(list.data), [list.data]);
  // drawn between two frames, however many rows are new
  const drawn = useDeferredValue(conversations);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const readMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return { list, conversations, drawn: drawn.length === 0 ? conversations : drawn, readMore };
};

/** The same rows for what looks at them when it is pressed, and is not to be drawn again with each of their changes. */
export const useRowsWhenPressed = (): (() => readonly Conversation[]) => {
  const input = useListInput();
  return useCallback(() => rowsIn(queryClient.getQueryData(readPages('listConversations', input).queryKey)), [input]);
};

/** Opens a conversation beside the list, or none. Who goes through the list by keys goes on with keys. */
export const useOpen = () => {
  const navigate = useNavigate();
  return useCallback(
    (id: number | undefined, byKeys = false): void => {
      const there = { search: true, state: { byKeys } } as const;
      void navigate(id === undefined ? { to: '/inbox', ...there } : { to: '/inbox/$id', params: { id }, ...there });
    },
    [navigate],
  );
};

/** Opens the conversation that follows one in the list, which may be about to leave it. */
export const useOpenNext = (id: number): (() => void) => {
  const rows = useRowsWhenPressed();
  const open = useOpen();
  return useCallback(() => {
    const all = rows();
    const place = all.findIndex((each) => each.id === id);
    open((all[place + 1] ?? all[place - 1])?.id, true);
  }, [rows, open, id]);
};
