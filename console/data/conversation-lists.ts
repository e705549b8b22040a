import type { Conversation } from '../../client/client.ts';

/** What decides in which lists a conversation is. */
type ListedConversation = Pick<Conversation, 'status' | 'unread_count' | 'assigned_to' | 'is_automatic' | 'snoozed_until'> & {
  window: Pick<Conversation['window'], 'number_id'>;
  last_message: Pick<Conversation['last_message'], 'is_message_by_contact'>;
};

/** The pages of a list of conversations that were read so far, newest message first. */
export interface Lists {
  pages: { data: Conversation[]; meta: { next_cursor: string | null } }[];
  pageParams: unknown[];
}

/** Whether a view of the inbox shows a conversation, as the API decides it: test/conversations/console-views.test.ts holds them together. */
export const isShownBy = (
  {
    status,
    unread_count: unread,
    assigned_to: user,
    is_automatic: isAutomatic,
    snoozed_until: snoozed,
    window: { number_id: number },
    last_message: { is_message_by_contact: isByContact },
  }: ListedConversation,
  view = 'open',
  me = 0,
  /** Only those that this user takes care of, of this number, that wait for an answer. */
  { of, at, waiting }: { of?: number | undefined; at?: number | undefined; waiting?: boolean | undefined } = {},
): boolean => {
  if (of !== undefined && user !== of) return false;
  if (at !== undefined && number !== at) return false;
  if (waiting !== undefined && (isByContact === 1) !== waiting) return false;
  if (view === 'closed') return status === 'closed';
  if (status === 'closed') return false;
  const isSnoozed = typeof snoozed === 'string';
  if (isSnoozed || view === 'snoozed') return isSnoozed && view === 'snoozed';
  if (view === 'unread') return unread > 0;
  if (view === 'mine') return user === me;
  const waitsForReply = isAutomatic && user === null && unread === 0;
  if (waitsForReply || view === 'automatic') return waitsForReply && view === 'automatic';
  return view === 'unassigned' ? user === null : true;
};

/** The list with a conversation at its place; without it where that is behind what was read, or where it is undefined. */
export const withConversation = <L extends Lists>(lists: L, id: number, conversation: Conversation | undefined): L => {
  const others = lists.pages.map((page) =>
    page.data.some((each) => each.id === id) ? { ...page, data: page.data.filter((each) => each.id !== id) } : page,
  );
  const isBefore = (each: Conversation): boolean => conversation !== undefined && each.last_message_at <= conversation.last_message_at;
  const found = others.findIndex(({ data }) => data.some(isBefore));
  const isEnd = found === -1 && others.at(-1)?.meta.next_cursor === null;
  const nth = isEnd ? others.length - 1 : found;
  const page = others[nth];
  if (!conversation || !page) return { ...lists, pages: others };
  const at = isEnd ? page.data.length : page.data.findIndex(isBefore);
  const data = [...page.data.slice(0, at), conversation, ...page.data.slice(at)];
  return { ...lists, pages: others.map((each, index) => (index === nth ? { ...page, data } : each)) };
};

/** A conversation as the lists that were read show it. */
export const conversationIn = (lists: readonly (Lists | undefined)[], id: number): Conversation | undefined =>
  lists
    .flatMap((list) => list?.pages ?? [])
    .flatMap(({ data }) => data)
    .find((each) => each.id === id);
