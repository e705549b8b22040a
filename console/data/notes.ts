import { useQuery } from '@tanstack/react-query';
import { read } from './queries.ts';

/** The internal notes of a conversation that stand among its messages; the newest hundred. */
export const useNotes = (conversationId: number) =>
  useQuery(read('listConversationNotes', { params: { id: conversationId }, query: { limit: 100 } })).data?.data ?? [];
