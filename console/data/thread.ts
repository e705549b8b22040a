import { useCallback, useEffect, useRef } from 'react';
import { type InfiniteData, useQuery } from '@tanstack/react-query';
import type { Message } from '../../client/client.ts';
import { type Answer, api } from './client.ts';
import { areNotesRead, showNotes } from './notes.ts';
import { openForLooks } from './open-conversation.ts';
import { keyOf, queryClient } from './queries.ts';
import { readAgain } from './read-again.ts';

/** The part of a conversation that was read so far, oldest first. */
export interface Thread {
  messages: readonly Message[];
  /** Where the messages of before go on; null at the beginning. */
  nextBefore: number | null;
}

const pageSize = 50;
const threadKey = (id: number) => keyOf('listConversationMessages', { params: { id } });

/** A look brings the newest twenty messages; what becomes of those before them is seen with the newest page. */
const wholePageMs = 5 * 60_000;

/**
 * The messages of a conversation. New ones and new states of the newest come with the looks for changes while it is open (sync.ts); what was
 * read of before stays.
 */
export const useThread = (id: number) => {
  useEffect(() => openForLooks(id), [id]);
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
    refetchInterval: wholePageMs,
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

/** The threads as looks brought them, with the version of their newest messages and when those were read: one that changed since has none. */
const brought = new WeakMap<Thread, { version: string; readAt: number }>();

/** Ticks that come late, and what else becomes of messages without an event, are seen within this time. */
const quietThreadMs = 20_000;

/** What a look says of the open thread: which version is shown, and whether its messages are wanted or only what events name. */
export const threadOfLook = (id: number, now = Date.now()): { version?: string; messages?: boolean } => {
  const thread = queryClient.getQueryData<Thread>(threadKey(id));
  const known = thread && brought.get(thread);
  if (!thread || !known) return {};
  const isWanted = now - known.readAt >= quietThreadMs || hasMoving(thread.messages, now);
  return isWanted ? { version: known.version } : { version: known.version, messages: false };
};

/**
 * Shows the newest messages that a look brought, unless they were read since it began, or are being read: the next look brings them again,
 * as the version of that thread is not known. Whether they are shown.
 *
 * @param areWanted whether the look wanted them, so that none are those that are shown
 */
export const showThread = (
  { conversation_id: id, version, messages, next_before_id: nextBefore }: NonNullable<Answer<'getSync'>['data']['thread']>,
  requestedAt: number,
  areWanted = true,
): boolean => {
  const queryKey = threadKey(id);
  const state = queryClient.getQueryState<Thread>(queryKey);
  const known = state?.data;
  if (!known || state.fetchStatus === 'fetching' || state.dataUpdatedAt > requestedAt) return false;
  if (messages === null) {
    const isSame = brought.get(known)?.version === version;
    if (isSame && areWanted) brought.set(known, { version, readAt: requestedAt });
    return isSame;
  }
  const newest = { messages: messages.toReversed(), nextBefore };
  const [first] = newest.messages;
  if (first && !known.messages.some((message) => message.id === first.id) && nextBefore !== null) {
    // between what was read and these are others
    readAgain('listConversationMessages', [id]);
    return false;
  }
  queryClient.setQueryData<Thread>(queryKey, withOlder(newest, known));
  const shown = queryClient.getQueryData<Thread>(queryKey);
  if (shown) brought.set(shown, { version, readAt: requestedAt });
  return true;
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

/** Whether a message can still change within seconds: the state of one that we sent lately, or the file of one that came, which is fetched. */
export const hasMoving = (messages: readonly Message[], now = Date.now()): boolean =>
  messages.slice(-20).some(({ is_message_by_contact, status, ambiguous, media, created_at }) => {
    const age = now - Date.parse(created_at);
    if (is_message_by_contact) return media !== null && media.url === null && age < minute;
    return (status < 4 || ambiguous) && age < (status < 3 ? 10 * minute : 3 * minute);
  });
