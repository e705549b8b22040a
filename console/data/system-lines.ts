import { useCallback, useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Event as LoggedEvent } from '../../client/client.ts';
import { useEvents } from './events.ts';
import { keyOf, queryClient, read } from './queries.ts';

/** What was done to a conversation between its messages. */
export interface SystemLine {
  id: string;
  at: string;
  /** The user who did it; null: a program, or the customer who wrote. */
  userId: number | null;
  isByCustomer: boolean;
  what: 'closed' | 'opened' | 'assigned' | 'unassigned';
  /** Who takes care of it from then on. */
  assignee: number | null;
}

const states = ['open', 'closed'];

/** The changes that events of a conversation say, both oldest first. Each event has the state after it: what it changed shows beside the one before. */
export const systemLinesOf = (oldestFirst: readonly LoggedEvent[], isWhole: boolean): SystemLine[] => {
  const lines: SystemLine[] = [];
  // of a conversation without earlier events
  let [status, assignee]: [string | undefined, number | null | undefined] = isWhole ? ['open', null] : [undefined, undefined];
  for (const { id, at, by, data } of oldestFirst) {
    const [now, user] = [String(data['status']), typeof data['assigned_to'] === 'number' ? data['assigned_to'] : null];
    const line = { at, userId: by.user_id, isByCustomer: by.kind === 'customer', assignee: user };
    if (status !== undefined && now !== status && states.includes(now))
      lines.push({ ...line, id: `${id}-status`, what: now === 'closed' ? 'closed' : 'opened' });
    if (assignee !== undefined && user !== assignee)
      lines.push({ ...line, id: `${id}-assignee`, what: user === null ? 'unassigned' : 'assigned' });
    [status, assignee] = [now, user];
  }
  return lines;
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
