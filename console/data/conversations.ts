import type { Conversation } from '../../client/client.ts';
import { type Answer, api, type Input, SwitchboardProblem } from './client.ts';
import { conversationIn, isShownBy, type Lists, withConversation } from './conversation-lists.ts';
import { keyOf, queryClient, read } from './queries.ts';
import { readAgain } from './read-again.ts';

/** More conversations than this are read with the lists that show them. */
const mostAlone = 6;
/** A list's first page grows by what is put into it; from here on it is read again. */
const longestPage = 150;

/** Those that wait to be read, with the message that they must show. */
const waiting = new Map<number, number>();
const reading = new Set<number>();

/**
 * Shows what became of these conversations: each is read alone and put into its place in the lists, so that a message costs a read of one
 * conversation and not of fifty.
 *
 * @param changed by the conversation's id, the message that it must show; 0: none
 */
export const showConversations = (changed: ReadonlyMap<number, number>): void => {
  if (changed.size > mostAlone) {
    readAgain('listConversations');
    readAgain('getConversation', [...changed.keys()]);
    return;
  }
  for (const [id, messageId] of changed) {
    waiting.set(id, Math.max(waiting.get(id) ?? 0, messageId));
    if (!reading.has(id)) void showOne(id);
  }
};

/**
 * Shows conversations as an answer has them, and takes those out that no list shows any more. Which are done with: one of which something
 * later is shown, or that is being read, is not.
 */
export const showAnswered = (conversations: readonly Conversation[], unlisted: readonly number[]): ReadonlySet<number> => {
  const done = new Set<number>();
  for (const conversation of conversations) {
    const { id } = conversation;
    const queryKey = keyOf('getConversation', { params: { id } });
    const state = queryClient.getQueryState<Answer<'getConversation'>>(queryKey);
    const known = state?.data?.data ?? fromLists(id)?.data;
    if (reading.has(id) || state?.fetchStatus === 'fetching' || (known && known.updated_at > conversation.updated_at)) continue;
    queryClient.setQueryData(queryKey, { status: 'success', message: '', data: conversation });
    placeInLists(id, conversation);
    done.add(id);
  }
  for (const id of unlisted) {
    if (reading.has(id)) continue;
    placeInLists(id, undefined);
    done.add(id);
  }
  return done;
};

/** One read of a conversation at a time: of two, the older answer could come last. */
const showOne = async (id: number): Promise<void> => {
  reading.add(id);
  try {
    for (let messageId = waiting.get(id); messageId !== undefined; messageId = waiting.get(id)) {
      waiting.delete(id);
      const answer = await readWith(id, messageId);
      if (answer !== undefined) queryClient.setQueryData(keyOf('getConversation', { params: { id } }), answer);
      placeInLists(id, answer?.data);
    }
  } catch {
    // the list says why it cannot be read, where this was not a moment's failure
    waiting.delete(id);
    readAgain('listConversations');
  } finally {
    reading.delete(id);
  }
};

/** Reads a conversation. A read may be a moment behind the event log: it is tried again while it does not show the message. */
const readWith = async (id: number, messageId: number): Promise<Answer<'getConversation'> | undefined> => {
  for (let attempt = 1; ; attempt++) {
    const answer = await api.getConversation({ params: { id } }).catch((error: unknown) => {
      if (error instanceof SwitchboardProblem && error.status === 404) return undefined;
      throw error;
    });
    if (answer === undefined || answer.data.last_message.id >= messageId || attempt === 3) return answer;
    await new Promise((resolve) => setTimeout(resolve, attempt * 200));
  }
};

/** Puts a conversation where it belongs in every list of a view; undefined takes it out. A search, and what a tag shows, is answered by the API alone. */
const placeInLists = (id: number, conversation: Conversation | undefined): void => {
  const me = queryClient.getQueryData<Answer<'getMe'>>(read('getMe').queryKey)?.data.id;
  for (const query of queryClient.getQueryCache().findAll({ queryKey: ['listConversations'] })) {
    const { queryKey } = query;
    const {
      view,
      search,
      text,
      tag_id: tag,
      assigned_to: of,
      number_id: at,
      waiting,
    } = (queryKey[1] as Input<'listConversations'>).query ?? {};
    const lists = queryClient.getQueryData<Lists>(queryKey);
    if (queryKey.at(-1) !== 'pages' || !lists) continue;
    const belongs =
      conversation !== undefined && isShownBy(conversation, view, me, { of, at, waiting: waiting === true ? true : undefined });
    // what is being read may be older than this conversation
    if (
      search !== undefined ||
      text !== undefined ||
      tag !== undefined ||
      query.state.fetchStatus === 'fetching' ||
      lists.pages.some(({ data }) => data.length > longestPage)
    )
      readAgain('listConversations');
    else queryClient.setQueryData<Lists>(queryKey, withConversation(lists, id, belongs ? conversation : undefined));
  }
};

/** A conversation as the list beside it shows it, which events keep current: it is seen at once, and is not read for itself. */
export const fromLists = (id: number): Answer<'getConversation'> | undefined => {
  const lists = queryClient.getQueriesData<Lists>({
    queryKey: ['listConversations'],
    predicate: ({ queryKey }) => queryKey.at(-1) === 'pages',
  });
  const data = conversationIn(
    lists.map(([, list]) => list),
    id,
  );
  return data && { status: 'success', message: '', data };
};
