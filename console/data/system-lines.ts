import { useCallback, useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Event as LoggedEvent, LoggedConversationUpdated } from '../../client/client.ts';
import { useEvents } from './events.ts';
import { keyOf, queryClient, read } from './queries.ts';

/** What was done to a conversation between its messages. */
export interface SystemLine {
  id: string;
  at: string;
  /** The user who did it; null: a program, or the customer who wrote. */
  userId: number | null;
  isByCustomer: boolean;
  what: 'closed' | 'opened' | 'assigned' | 'unassigned' | 'snoozed' | 'back';
  /** Who takes care of it from then on. */
  assignee: number | null;
  /** Until when it is put away from then on. */
  until: string | null;
}

const states = ['open', 'closed'];

/** The changes that events of a conversation say, both oldest first. Each event has the state after it: what it changed shows beside the one before. */
export const systemLinesOf = (oldestFirst: readonly LoggedEvent[], isWhole: boolean): SystemLine[] => {
  const lines: SystemLine[] = [];
  // of a conversation without earlier events
  let before: State | undefined = isWhole ? { status: 'open', assignee: null, until: null } : undefined;
  for (const event of oldestFirst) {
    if (event.type !== 'conversation.updated') continue;
    const { id, at, by } = event;
    const after = stateIn(event.data);
    const line = { at, userId: by.user_id, isByCustomer: by.kind === 'customer', assignee: after.assignee, until: after.until };
    const place = before && changeOfPlace(before, after);
    if (place) lines.push({ ...line, id: `${id}-status`, what: place });
    if (before && after.assignee !== before.assignee)
      lines.push({ ...line, id: `${id}-assignee`, what: after.assignee === null ? 'unassigned' : 'assigned' });
    before = after;
  }
  return lines;
};

interface State {
  status: string;
  assignee: number | null;
  until: string | null;
}

const stateIn = ({ status, assigned_to, snoozed_until }: LoggedConversationUpdated['data']): State => ({
  status,
  assignee: assigned_to,
  // an event of before there were snoozes has none
  until: snoozed_until ?? null,
});

/** Where it went: what is closed is put away no more, and what is put away is open. */
const changeOfPlace = (before: State, after: State): SystemLine['what'] | undefined => {
  if (after.until !== null && after.until !== before.until) return 'snoozed';
  if (after.status !== before.status && states.includes(after.status)) return after.status === 'closed' ? 'closed' : 'opened';
  return before.until !== null && after.until === null ? 'back' : undefined;
};

/** What was done to a conversation, as far as the event log goes back. */
export const useSystemLines = (conversationId: number): readonly SystemLine[] => {
  const input = useMemo(
    () => ({ query: { subject: `conversation:${conversationId}`, types: 'conversation.updated', limit: 100 } }),
    [conversationId],
  );
  const { data } = useQuery(read('listEvents', input));
  useEvents(
    useCallback(
      (events) => {
        const isAbout = ({ type, subject }: LoggedEvent): boolean => type === 'conversation.updated' && subject === input.query.subject;
        if (events.some(isAbout)) void queryClient.invalidateQueries({ queryKey: keyOf('listEvents', input) });
      },
      [input],
    ),
  );
  return useMemo(() => (data ? systemLinesOf(data.data, !data.meta.has_more) : []), [data]);
};
