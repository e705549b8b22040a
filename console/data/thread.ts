import { useCallback, useRef } from 'react';
import { type InfiniteData, useQuery } from '@tanstack/react-query';
import type { Message } from '../../client/client.ts';
import { type Answer, api } from './client.ts';
import { areNotesRead, showNotes } from './notes.ts';
import { keyOf, queryClient } from './queries.ts';

/** The part of a conversation that was read so far, oldest first. */
export interface Thread {
  messages: readonly Message[];
  /** Where the messages of before go on; null at the beginning. */
  nextBefore: number | null;
}

const pageSize = 50;
const threadKey = (id: number) => keyOf('listConversationMessages', { params: { id } });

/**
 * The messages of a conversation. New ones and new states come with the newest page, read again by events and while a state is not final;
 * what was read of before stays.
 */
export const useThread = (id: number) => {
  const query = useQuery({
    queryKey: threadKey(id),
    queryFn: async ({ signal }): Promise<Thread> => {
      const requestedAt = Date.now();
      const query = { limit: pageSize, ...(areNotesRead(id) ? {} : { notes: true }) };
      const { data, meta, notes } = await api.listConversationMessages({ params: { id }, query }, { signal });
      if (notes) showNotes(id, notes, requestedAt);
      const newest = { messages: data.toReversed(), nextBefore: meta.next_before_id };
      return withOlder(newest, queryClient.getQueryData<Thread>(threadKey(id)));
    },
    refetchInterval: ({ state }) => (state.data && hasMoving(state.data.messages) ? 1_500 : 20_000),
  });
  const reading = useRef(false);
  const readOlder = useCallback(async (): Promise<void> => {
    const thread = queryClient.getQueryData<Thread>(threadKey(id));
    if (!thread?.nextBefore || reading.current) return;
    reading.current = true;
    try {
      const { data, meta } = await api.listConversationMessages({ params: { id }, query: { limit: 100, before_id: thread.nextBefore } });
      queryClient.setQueryData<Thread>(
        threadKey(id),
        (current) => current && { messages: [...data.toReversed(), ...current.messages], nextBefore: meta.next_before_id },
      );
    } finally {
      reading.current = false;
    }
  }, [id]);
  return { ...query, readOlder };
};

/** What of a conversation was read, for what looks at it when a button is pressed. */
export const messagesIn = (id: number): readonly Message[] => queryClient.getQueryData<Thread>(threadKey(id))?.messages ?? [];

/** The newest page with what was read before it; without it where messages between them were not read. */
export const withOlder = (newest: Thread, known: Thread | undefined): Thread => {
  const [first] = newest.messages;
  if (!known || !first || !known.messages.some((message) => message.id === first.id)) return newest;
  const older = known.messages.slice(
    0,
    known.messages.findIndex((message) => message.id === first.id),
  );
  return { messages: [...older, ...newest.messages], nextBefore: older.length > 0 ? known.nextBefore : newest.nextBefore };
};

/** The state of a thread's newest message, in the lists that show it: the event log has no ticks, so lists are not read again for them. */
export const showStateInLists = ({ id, contact_id: conversationId, status, ambiguous }: Message): void => {
  const byPages = {
    queryKey: ['listConversations'],
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey.at(-1) === 'pages',
  };
  queryClient.setQueriesData<InfiniteData<Answer<'listConversations'>>>(byPages, (lists) => {
    const isOld = lists?.pages.some(({ data }) =>
      data.some(
        ({ id: each, last_message: last }) =>
          each === conversationId && last.id === id && (last.status !== status || last.ambiguous !== ambiguous),
      ),
    );
    if (!lists || !isOld) return lists;
    const pages = lists.pages.map((page) => ({
      ...page,
      data: page.data.map((each) =>
        each.id === conversationId ? { ...each, last_message: { ...each.last_message, status, ambiguous } } : each,
      ),
    }));
    return { ...lists, pages };
  });
};

const minute = 60_000;

/** Whether a message that we sent lately can still change its state within seconds. */
export const hasMoving = (messages: readonly Message[], now = Date.now()): boolean =>
  messages
    .slice(-20)
    .some(
      ({ is_message_by_contact, status, ambiguous, created_at }) =>
        !is_message_by_contact && (status < 4 || ambiguous) && now - Date.parse(created_at) < (status < 3 ? 10 * minute : 3 * minute),
    );
