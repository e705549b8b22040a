import { useEffect } from 'react';
import type { Event as LoggedEvent } from '../../client/client.ts';
import { api, type OperationName, SwitchboardProblem } from './client.ts';
import { pauseAfter, pollAnswered, pollFailed } from './connection.ts';
import { showConversations } from './conversations.ts';
import { readAgain } from './read-again.ts';
import { leaveSession } from './session.ts';

/** Milliseconds between two polls of the event log, while the page is visible, and while it is hidden. */
const visibleMs = 2_000;
const hiddenMs = 30_000;

/** The next poll begins at once. */
export const pollNow = (): void => void dispatchEvent(new Event(lookNow));
const lookNow = 'switchboard-look-now';

/** Which operations' answers an event makes old, by its type or the family of its type. */
const affected: Readonly<Record<string, readonly OperationName[]>> = {
  message: ['getInboxCounts', 'listConversationMessages'],
  conversation: ['getInboxCounts'],
  'conversation.note': ['listConversationNotes'],
  contact: ['getContact', 'listContactConsents', 'listContacts'],
  'contact.blocked': ['getContact', 'getConversation', 'listContacts', 'listAuditEntries'],
  'contact.unblocked': ['getContact', 'getConversation', 'listContacts', 'listAuditEntries'],
  template: ['listTemplates'],
  campaign: ['listCampaigns', 'getCampaign'],
  order: ['listOrders'],
  lead: ['listLeads'],
  task: ['listTasks'],
  number: ['listNumbers', 'getNumber', 'getMe', 'listAuditEntries'],
  webhook_endpoint: ['listWebhooks', 'getWebhook', 'listAuditEntries'],
  user: ['listUsers', 'listAuditEntries'],
  credential: ['listTokens', 'listMachineTokens', 'listAuditEntries'],
  company: ['listAuditEntries'],
};

/** Operations of one conversation, which are read again for the conversations that events name. */
const ofOneConversation = new Set<OperationName>(['listConversationMessages', 'listConversationNotes']);

type Observer = (events: readonly LoggedEvent[]) => void;
const observers = new Set<Observer>();

/** Calls back with every batch of new events. */
export const useEvents = (observer: Observer): void => {
  useEffect(() => {
    observers.add(observer);
    return () => void observers.delete(observer);
  }, [observer]);
};

/** Reads again what these events changed: the conversations that they name, each alone, and the whole of an operation for everything else. */
export const applyEvents = (events: readonly LoggedEvent[]): void => {
  const named = new Set<number>();
  const changed = new Map<number, number>();
  for (const event of events) {
    const id = conversationOf(event);
    if (id === undefined) continue;
    named.add(id);
    // a note changes nothing of what lists show
    if (event.type !== 'conversation.note') changed.set(id, Math.max(changed.get(id) ?? 0, messageOf(event)));
  }
  for (const name of new Set(events.flatMap(({ type }) => affected[type] ?? affected[familyOf(type)] ?? [])))
    readAgain(name, ofOneConversation.has(name) ? [...named] : undefined);
  showConversations(changed);
  for (const observer of observers) observer(events);
};

const familyOf = (type: string): string => type.split('.')[0] ?? '';

export const conversationOf = ({ subject }: LoggedEvent): number | undefined => {
  const id = /^conversation:(\d+)$/.exec(subject)?.[1];
  return id === undefined ? undefined : Number(id);
};

/** The message that arrived; 0 with other events. */
const messageOf = ({ type, data }: LoggedEvent): number => (type === 'message.received' ? Number(data['message_id']) : 0);

/** Follows the event log while the shell is open. It misses nothing: the cursor is the place of the last event that was seen. */
export const useEventFeed = (): void => {
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let cursor: string | undefined;
    let areCountsMoving = false;
    const look = async (): Promise<void> => {
      const { data, meta } = await api.listEvents(
        { query: cursor === undefined ? { limit: 1 } : { after: cursor, limit: 100 } },
        { signal },
      );
      const isFirst = cursor === undefined;
      // without a cursor the answer is the newest event, whose id is where to go on
      cursor = isFirst ? (data[0]?.id ?? '0') : meta.next_cursor;
      if (!isFirst && data.length > 0) applyEvents(data);
      // the counts of the inbox follow its conversations a moment later
      else if (areCountsMoving) readAgain('getInboxCounts');
      areCountsMoving = !isFirst && data.length > 0;
      if (!isFirst && meta.has_more) await look();
    };
    let failures = 0;
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        try {
          await look();
          failures = 0;
          pollAnswered();
        } catch (error) {
          if (error instanceof SwitchboardProblem && error.status === 401) return void leaveSession();
          failures++;
          if (!signal.aborted) pollFailed();
        }
        await nextLook(signal, failures);
      }
    };
    void follow();
    return () => stop.abort();
  }, []);
};

/** Waits for the time of the next look, or until the page is seen again or the device is connected. */
const nextLook = (signal: AbortSignal, failures: number): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      removeEventListener('online', finish);
      removeEventListener(lookNow, finish);
      document.removeEventListener('visibilitychange', onVisible);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const onVisible = (): void => {
      if (document.visibilityState === 'visible') finish();
    };
    const timer = setTimeout(finish, pauseAfter(failures, document.visibilityState === 'visible' ? visibleMs : hiddenMs));
    addEventListener('online', finish);
    addEventListener(lookNow, finish);
    document.addEventListener('visibilitychange', onVisible);
    signal.addEventListener('abort', finish);
  });
