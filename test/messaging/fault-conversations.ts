import { contactKind } from '../../functions/contacts/contract/stored.ts';
import { conversationEntityName, storedConversation } from '../../functions/conversations/contract/stored.ts';
import { countedCellOf, isListed } from '../../functions/conversations/domain/conversation.ts';
import { isCustomerMessage } from '../../functions/messaging/contract/inbound.ts';
import { messageEntityName, storedMessage, type StoredMessage } from '../../functions/messaging/contract/stored.ts';
import { secondOf } from '../../shared/runtime/ids.ts';
import type { TestCompany } from '../support/company.ts';
import type { ChangeHook } from '../support/change-stream.ts';
import type { Fixture } from './fixture.ts';

/** By contact: the inbound messages since the conversation was last read, in the table's order. */
export type Unread = Map<number, StoredMessage[]>;

/** Records each company's unread messages from the table's changes. */
export const readRecorder =
  (companies: readonly { id: number; unread: Unread }[]): ChangeHook =>
  ({ before, after }) => {
    const company = companies.find(({ id }) => id === after?.['companyId']);
    if (!company || !after) return;
    if (after['kind'] === messageEntityName && !before) {
      const message = storedMessage.parse(after);
      if (isCustomerMessage(message)) company.unread.set(message.contactId, [...(company.unread.get(message.contactId) ?? []), message]);
    }
    if (after['kind'] === conversationEntityName && before) {
      const [was, is] = [storedConversation.parse(before), storedConversation.parse(after)];
      const isRead = is.readAt !== was.readAt || is.readInboundId !== was.readInboundId || (is.unread === 0 && was.unread > 0);
      if (isRead) company.unread.delete(is.contactId);
    }
  };

/** Where the heads of a company's conversations differ from a recount of its messages, contacts and receipts. */
export const checkConversations = async (
  fixture: Fixture,
  { id: companyId, unread }: TestCompany & { unread: Unread },
  dump: readonly Record<string, unknown>[],
): Promise<string[]> => {
  const wrong: string[] = [];
  const items = dump.filter((item) => item['companyId'] === companyId);
  const conversations = items.filter((item) => item['kind'] === conversationEntityName).map((item) => storedConversation.parse(item));
  const messages = items.filter((item) => item['kind'] === messageEntityName).map((item) => storedMessage.parse(item));
  const contacts = dump
    .filter((item) => item['kind'] === contactKind.name && item['c'] === companyId)
    .map((item) => contactKind.parse(item));
  const gone = new Set(contacts.filter(({ deletedAt }) => deletedAt !== undefined).map(({ id }) => id));
  const receipts = new Set((await fixture.receipts()).map(({ wamid }) => wamid));
  const byContact = grouped(messages, ({ contactId }) => contactId);
  for (const conversation of conversations) {
    const rows = byContact.get(conversation.contactId) ?? [];
    const later = unread.get(conversation.contactId) ?? [];
    // the clock that stamped a message may have been behind that of the one read before it
    const least = later.filter(({ updatedAt }) => updatedAt > (conversation.readAt ?? 0)).length;
    if (conversation.unread < least || conversation.unread > later.length)
      wrong.push(`unread ${conversation.unread}, recounted ${least} to ${later.length} (${conversation.contactId})`);
    if ((conversation.hidden ?? false) !== gone.has(conversation.contactId))
      wrong.push(`conversation ${conversation.contactId} is not hidden as its contact is`);
    const newest = Math.max(...rows.map(({ id }) => secondOf(id)));
    const shown = rows.find(({ id }) => id === conversation.lastMessageId);
    if (rows.length > 0 && (!shown || secondOf(shown.id) !== newest))
      wrong.push(`conversation ${conversation.contactId} shows an older message`);
    const read = rows.find(({ id }) => id === conversation.readInboundId);
    if (read && !receipts.has(read.wamid ?? '')) wrong.push(`no read receipt was sent for ${read.wamid}`);
    for (const { wamid, id } of rows.filter(isCustomerMessage))
      if (receipts.has(wamid ?? '') && id > (conversation.readInboundId ?? 0)) wrong.push(`${wamid} was reported as read, and is not`);
  }
  const missing = [...byContact.keys()].filter((contactId) => !conversations.some((conversation) => conversation.contactId === contactId));
  if (missing.length > 0) wrong.push(`${missing.length} of ${byContact.size} conversations are missing`);
  const compare = (of: string, recounted: number): void => {
    const total = Number(items.find((item) => item['kind'] === 'counter' && item['of'] === of)?.['total'] ?? 0);
    if (total !== recounted) wrong.push(`total of ${of}s ${total}, recounted ${recounted}`);
  };
  compare(conversationEntityName, conversations.filter(isListed).length);
  const counter = items.find((item) => item['kind'] === 'counter' && item['of'] === conversationEntityName);
  const cells = Object.fromEntries([...grouped(conversations.filter(isListed), countedCellOf)].map(([cell, of]) => [cell, of.length]));
  const [is, should] = [counter?.['cells'] ?? {}, cells].map((each) =>
    JSON.stringify(Object.entries(each as object).toSorted(([a], [b]) => a.localeCompare(b))),
  );
  if (is !== should) wrong.push(`cells of the inbox ${is}, recounted ${should}`);
  compare('contact', contacts.length - gone.size);
  return wrong;
};

export function grouped<K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
