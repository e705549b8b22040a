import { useCallback, useRef, useState, useSyncExternalStore } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Message } from '../../client/client.ts';
import { api, type Input } from './client.ts';
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

/** A message that this page sends: shown at once, and until the thread has it. */
export interface Outgoing {
  /** Its Idempotency-Key: every try has it, so that it is one message. */
  key: string;
  conversationId: number;
  createdAt: string;
  text: string;
  file?: File;
  input: Input<'sendText'>['body'];
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

const attempt = async (outgoing: Outgoing): Promise<void> => {
  update(outgoing.key, { state: 'sending', error: undefined });
  try {
    const { data } = await api.sendText({ body: outgoing.input }, { idempotencyKey: outgoing.key });
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
    retry: (entry: Outgoing) => void attempt(entry),
    discard: ({ key }: Outgoing) => change(outbox.filter((each) => each.key !== key)),
  };
};
