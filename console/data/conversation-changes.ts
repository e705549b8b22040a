import type { Conversation } from '../../client/client.ts';
import { productNow } from '../components/time.tsx';
import { toastProblem } from '../components/toasts.tsx';
import { type Answer, api, type Input } from './client.ts';
import { changeAhead, read, refresh } from './queries.ts';

const refreshInbox = (): void => void refresh('getConversation', 'listConversations', 'getInboxCounts');

export interface ConversationChange {
  status?: 'open' | 'closed';
  assigned_to?: number | null;
  unread?: true;
  /** An instant; null: it comes back. */
  snoozed_until?: string | null;
}

/** A conversation as it is after a change. */
export const changed = (conversation: Conversation, { unread, ...shown }: ConversationChange): Conversation => ({
  ...conversation,
  ...(shown.status === 'closed' ? { snoozed_until: null } : {}),
  ...(typeof shown.snoozed_until === 'string' ? { status: 'open' } : {}),
  ...shown,
  ...(unread ? { unread_count: Math.max(1, conversation.unread_count) } : {}),
});

/** What takes a change of a conversation back; `read` where it was unread by that alone. */
export const takingBack = (before: Conversation, change: ConversationChange): ConversationChange | 'read' => {
  if (change.unread) return 'read';
  return stateBefore(before, change);
};

/** What was changed of a conversation, as it was before. */
export const stateBefore = (
  before: Pick<Conversation, 'status' | 'snoozed_until' | 'assigned_to'>,
  change: Omit<ConversationChange, 'unread'>,
): Omit<ConversationChange, 'unread'> => ({
  ...placeBefore(before, change),
  ...(change.assigned_to === undefined ? {} : { assigned_to: before.assigned_to }),
});

/** Where it was: open, closed, or put away until a time that is still to come. */
const placeBefore = (
  { status, snoozed_until: until }: Pick<Conversation, 'status' | 'snoozed_until'>,
  change: Pick<ConversationChange, 'status' | 'snoozed_until'>,
): Pick<ConversationChange, 'status' | 'snoozed_until'> => {
  if (change.status === undefined && change.snoozed_until === undefined) return {};
  if (typeof until === 'string' && Date.parse(until) > productNow()) return { snoozed_until: until };
  return { status, ...(change.snoozed_until === undefined ? {} : { snoozed_until: null }) };
};

/** Changes a conversation: shown at once, taken back where the API refuses. */
export const changeConversation = (id: number, change: ConversationChange): void => {
  const { queryKey } = read('getConversation', { params: { id } });
  const ahead = (answer: Answer<'getConversation'>): Answer<'getConversation'> => ({ ...answer, data: changed(answer.data, change) });
  void changeAhead(queryKey, ahead, () => api.updateConversation({ params: { id }, body: change }))
    .catch(toastProblem)
    .finally(refreshInbox);
};

export const readConversation = (id: number): void => void api.readConversation({ params: { id } }).then(refreshInbox, toastProblem);

export const takeBack = (before: Conversation, change: ConversationChange): void => {
  const back = takingBack(before, change);
  if (back === 'read') readConversation(before.id);
  else changeConversation(before.id, back);
};

export type SeveralChange = Omit<Input<'bulkUpdateConversations'>['body'], 'ids'>;

/** The most that one call changes. */
const mostAtOnce = 100;

/** Closes, opens or assigns several, and says how many are done; how many the API knew. */
export const changeSeveral = async (ids: readonly number[], change: SeveralChange, onDone?: (count: number) => void): Promise<number> => {
  let count = 0;
  try {
    for (let first = 0; first < ids.length; first += mostAtOnce) {
      const { data } = await api.bulkUpdateConversations({ body: { ids: ids.slice(first, first + mostAtOnce), ...change } });
      count += data.updated.length;
      onDone?.(Math.min(ids.length, first + mostAtOnce));
    }
    return count;
  } finally {
    refreshInbox();
  }
};
