import { useEffect } from 'react';
import type { Event } from '../../client/client.ts';
import { api, type OperationName, SwitchboardProblem } from './client.ts';
import { queryClient } from './queries.ts';

/** Milliseconds between two polls of the event log, while the page is visible, and while it is hidden. */
const visibleMs = 2_000;
const hiddenMs = 30_000;

/** Which operations' answers an event makes old, by the family of its type. */
const affected: Readonly<Record<string, readonly OperationName[]>> = {
  message: ['listConversations', 'getInboxCounts', 'listConversationMessages', 'getConversation', 'listMessages'],
  conversation: ['listConversations', 'getInboxCounts', 'getConversation', 'listConversationNotes'],
  contact: ['getContact', 'listContactConsents', 'listContacts'],
  template: ['listTemplates'],
  campaign: ['listCampaigns', 'getCampaign'],
  order: ['listOrders'],
  lead: ['listLeads'],
  task: ['listTasks'],
  number: ['listNumbers', 'getNumber', 'getMe'],
  webhook: ['listWebhooks', 'listAllDeliveries'],
  user: ['listUsers'],
  token: ['listTokens'],
};

type Observer = (events: readonly Event[]) => void;
const observers = new Set<Observer>();

/** Calls back with every batch of new events. */
export const useEvents = (observer: Observer): void => {
  useEffect(() => {
    observers.add(observer);
    return () => void observers.delete(observer);
  }, [observer]);
};

/** Reads again what these events changed: the whole of an operation for lists, one record where the event names it. */
const applyEvents = (events: readonly Event[]): void => {
  const names = new Set(events.flatMap(({ type }) => affected[type.split('.')[0] ?? ''] ?? []));
  const conversations = new Set(events.flatMap(({ subject, data }) => conversationOf(subject, data)));
  for (const name of names) {
    const ofOne = name === 'listConversationMessages' || name === 'getConversation' || name === 'listConversationNotes';
    void queryClient.invalidateQueries({
      queryKey: [name],
      ...(ofOne && conversations.size > 0 ? { predicate: ({ queryKey }) => conversations.has(idIn(queryKey[1])) } : {}),
    });
  }
  for (const observer of observers) observer(events);
};

const conversationOf = (subject: string, data: Readonly<Record<string, unknown>>): number[] => {
  const named = /^conversation:(\d+)/.exec(subject)?.[1];
  const ids = [named, data['conversation_id'], data['contact_id']].map(Number).filter((id) => Number.isInteger(id) && id > 0);
  return ids.slice(0, 1);
};

const idIn = (input: unknown): number => {
  const params = typeof input === 'object' && input !== null && 'params' in input ? input.params : undefined;
  return typeof params === 'object' && params !== null && 'id' in params ? Number(params.id) : 0;
};

/** Follows the event log while the shell is open. It misses nothing: the cursor is the place of the last event that was seen. */
export const useEventFeed = (onSignedOut: () => void): void => {
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let cursor: string | undefined;
    const look = async (): Promise<void> => {
      const { data, meta } = await api.listEvents(
        { query: cursor === undefined ? { limit: 1 } : { after: cursor, limit: 100 } },
        { signal },
      );
      const isFirst = cursor === undefined;
      // without a cursor the answer is the newest event, whose id is where to go on
      cursor = isFirst ? (data[0]?.id ?? '0') : meta.next_cursor;
      if (!isFirst && data.length > 0) applyEvents(data);
      if (!isFirst && meta.has_more) await look();
    };
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        await look().catch((error: unknown) => {
          if (error instanceof SwitchboardProblem && error.status === 401) onSignedOut();
        });
        await nextLook(signal);
      }
    };
    void follow();
    return () => stop.abort();
  }, [onSignedOut]);
};

/** Waits for the time of the next look, or until the page is seen again. */
const nextLook = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const onVisible = (): void => {
      if (document.visibilityState === 'visible') finish();
    };
    const timer = setTimeout(finish, document.visibilityState === 'visible' ? visibleMs : hiddenMs);
    document.addEventListener('visibilitychange', onVisible);
    signal.addEventListener('abort', finish);
  });
