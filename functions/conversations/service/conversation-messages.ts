import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { getFiledIds } from '../../contacts/service/followed-contacts.ts';
import type { StoredMessage } from '../../messaging/contract/stored.ts';
import { listContactMessages } from '../../messaging/service/messages.ts';
import { matchesWords } from '../domain/conversation.ts';

export interface MessagePage {
  messages: StoredMessage[];
  /** Where the next page begins; undefined at the end. */
  nextBeforeId: number | undefined;
}

/**
 * Messages of a conversation, newest first (A48), with those of contacts that were merged into its contact; a contact without messages has an
 * empty one, an unknown or deleted contact none.
 */
export const listConversationMessages = async (
  companyId: number,
  contactId: number,
  query: { limit: number; beforeId: number | undefined; newerThanMs: number | undefined; search?: string | undefined },
): Promise<MessagePage | Problem<'not_found'>> => {
  const { limit, search } = query;
  const read = (ids: readonly number[]): Promise<Found> =>
    search
      ? searchMessages(companyId, ids, { ...query, search })
      : listContactMessages(companyId, ids, { ...query, limit: limit + 1 }).then((messages) => ({ messages, lookedTo: undefined }));
  const [ids, own] = await Promise.all([getFiledIds(companyId, contactId), read([contactId])]);
  if (ids.length === 0) return problem('not_found');
  const found = String(ids) === String(contactId) ? own : await read(ids);
  const shown = found.messages.slice(0, limit);
  return { messages: shown, nextBeforeId: found.messages.length > limit ? shown.at(-1)?.id : found.lookedTo };
};

interface Found {
  messages: StoredMessage[];
  lookedTo: number | undefined;
}

/** Messages that have the words, among the next 5,000; `lookedTo`: where to look on. 0.5 RRU per 4 KB looked through. */
async function searchMessages(
  companyId: number,
  contactIds: readonly number[],
  {
    limit,
    beforeId,
    newerThanMs,
    search,
  }: { limit: number; beforeId: number | undefined; newerThanMs: number | undefined; search: string },
): Promise<Found> {
  const messages: StoredMessage[] = [];
  let before = beforeId;
  for (let looked = 0; looked < 5_000; looked += 500) {
    const page = await listContactMessages(companyId, contactIds, { limit: 500, beforeId: before, newerThanMs });
    messages.push(...page.filter(({ value }) => matchesWords(value, search)));
    if (messages.length > limit || page.length < 500) return { messages, lookedTo: undefined };
    before = page.at(-1)?.id;
  }
  return { messages, lookedTo: before };
}
