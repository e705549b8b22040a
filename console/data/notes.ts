import { useQuery } from '@tanstack/react-query';
import type { ConversationNote } from '../../client/client.ts';
import { queryClient, read } from './queries.ts';

/** The newest hundred, as the API adds them to messages too. Events say when they changed. */
const notesOf = (id: number) => ({
  ...read('listConversationNotes', { params: { id }, query: { limit: 100 } }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The internal notes of a conversation that stand among its messages. They come with its first messages, and are read alone when they change. */
export const useNotes = (conversationId: number, areMessagesRead: boolean): readonly ConversationNote[] =>
  useQuery({ ...notesOf(conversationId), enabled: areMessagesRead }).data?.data ?? none;
const none: readonly ConversationNote[] = [];

export const areNotesRead = (id: number): boolean => queryClient.getQueryData(notesOf(id).queryKey) !== undefined;

/** What came with messages that were requested at `requestedAt` (ms); not where notes were read since, or an event has made them old meanwhile. */
export const showNotes = (id: number, notes: ConversationNote[], requestedAt: number): void => {
  const { queryKey } = notesOf(id);
  const known = queryClient.getQueryState(queryKey);
  if (known?.isInvalidated || (known?.dataUpdatedAt ?? 0) > requestedAt) return;
  const meta = { per_page: 100, has_more: false, next_before_id: null };
  queryClient.setQueryData(queryKey, { status: 'success', message: '', data: notes, meta });
};
