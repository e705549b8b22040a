import { useCallback, useRef, useState, useSyncExternalStore } from 'react';
import { type InfiniteData, useQuery } from '@tanstack/react-query';
import type { Message } from '../../client/client.ts';
import { type Answer, api, type Input } from './client.ts';
import { uploadFile } from './uploads.ts';
import { queryClient, refresh } from './queries.ts';

/** The part of a conversation that was read so far, oldest first. */
export interface Thread {
  messages: readonly Message[];
  /** Where the messages of before go on; null at the beginning. */
  nextBefore: number | null;
}

const pageSize = 50;
const threadKey = (id: number) => ['listConversationMessages', { params: { id } }];

/**
 * The messages of a conversation. New ones and new states come with the newest page, read again by events and while a state is not final;
 * what was read of before stays.
 */
export const useThread = (id: number) => {
  const query = useQuery({
    queryKey: threadKey(id),
    queryFn: async ({ signal }): Promise<Thread> => {
      const { data, meta } = await api.listConversationMessages({ params: { id }, query: { limit: pageSize } }, { signal });
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

/** The newest page with what was read before it; without it where messages between them were not read. */
const withOlder = (newest: Thread, known: Thread | undefined): Thread => {
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
const hasMoving = (messages: readonly Message[]): boolean =>
  messages
    .slice(-20)
    .some(
      ({ is_message_by_contact, status, ambiguous, created_at }) =>
        !is_message_by_contact &&
        (status < 4 || ambiguous) &&
        Date.now() - Date.parse(created_at) < (status < 3 ? 10 * minute : 3 * minute),
    );

type Fields<N extends 'sendText' | 'sendList'> = Extract<Input<N>['body'], { message?: unknown }>;

/** What is sent: a text, perhaps with a file or buttons; or a list to choose from. */
export type Sending = { operation: 'sendText'; fields: Fields<'sendText'> } | { operation: 'sendList'; fields: Fields<'sendList'> };

/** A message that this page sends: shown at once, and until the thread has it. */
export interface Outgoing {
  /** Its Idempotency-Key: every try has it, so that it is one message. */
  key: string;
  conversationId: number;
  createdAt: string;
  text: string;
  file?: File;
  /** The file, once it is uploaded. */
  mediaId?: string;
  sending: Sending;
  state: 'sending' | 'failed';
  error?: unknown;
  /** Once the API has accepted it. */
  messageId?: number;
}

let outbox: readonly Outgoing[] = [];
const observers = new Set<() => void>();
const change = (next: readonly Outgoing[]): void => {
  outbox = next;
  for (const observer of observers) observer();
};
const subscribe = (observer: () => void): (() => void) => {
  observers.add(observer);
  return () => observers.delete(observer);
};

const update = (key: string, changes: Partial<Outgoing>): void =>
  change(outbox.map((each) => (each.key === key ? { ...each, ...changes } : each)));

/** With the message's own key, and a file that was uploaded once: the same request, however often it is tried. */
const call = async ({ key, file, mediaId, sending }: Outgoing) => {
  const again = { idempotencyKey: key };
  if (sending.operation === 'sendList') return api.sendList({ body: sending.fields }, again);
  if (!file) return api.sendText({ body: sending.fields }, again);
  const id = mediaId ?? (await uploadFile(file));
  update(key, { mediaId: id });
  return api.sendText({ body: { ...sending.fields, media_id: id } }, again);
};

const attempt = async (outgoing: Outgoing): Promise<void> => {
  update(outgoing.key, { state: 'sending', error: undefined });
  try {
    const { data } = await call(outgoing);
    update(outgoing.key, { messageId: data.message_id });
    await Promise.all([queryClient.invalidateQueries({ queryKey: threadKey(outgoing.conversationId) }), refresh('listMessages')]);
    change(outbox.filter(({ key }) => key !== outgoing.key));
    void refresh('listConversations', 'getConversation', 'getInboxCounts');
  } catch (error) {
    update(outgoing.key, { state: 'failed', error });
  }
};

/** What this page is sending to a conversation, and sending, trying again, and discarding it. */
export const useOutbox = (conversationId: number) => {
  const all = useSyncExternalStore(subscribe, () => outbox);
  const [send] = useState(() => (outgoing: Omit<Outgoing, 'key' | 'state' | 'createdAt'>): void => {
    const entry: Outgoing = { ...outgoing, key: crypto.randomUUID(), state: 'sending', createdAt: new Date().toISOString() };
    change([...outbox, entry]);
    void attempt(entry);
  });
  return {
    outgoing: all.filter((each) => each.conversationId === conversationId),
    send,
    retry: ({ key }: Outgoing) => void all.filter((each) => each.key === key).map(attempt),
    discard: ({ key }: Outgoing) => change(outbox.filter((each) => each.key !== key)),
  };
};
