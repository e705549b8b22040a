import { conversationEntityName, type StoredConversation } from '../functions/conversations/contract/stored.ts';
import { countedCellOf } from '../functions/conversations/domain/conversation.ts';
import { conversationEntity } from '../functions/conversations/store/conversation.ts';
import { messageEntity } from '../functions/messaging/store/message.ts';
import { messageId } from '../shared/runtime/ids.ts';
import { counterEntity } from '../shared/table/counter.ts';
import { seeded } from '../test/support/random.ts';
import { streaming, writerBeside } from './large-contacts.ts';

const base = Date.parse('2026-01-01T00:00:00Z');

/** One conversation of five hundred is this user's. */
export const seldomAssigned = 999;

/**
 * Conversations with the contacts of the first ids, as the product leaves them: four of five closed, half of the open ones assigned, one of four with
 * unread messages, each with one message a minute after the one before.
 */
export async function loadConversations(
  companyId: number,
  users: Readonly<Record<string, number>>,
  size: number,
): Promise<StoredConversation[]> {
  const random = seeded(23);
  const assignees = Object.values(users);
  const summaries: StoredConversation[] = [];
  const cells: Record<string, number> = {};
  await streaming(false);
  const writer = writerBeside();
  for (let first = 1; first <= size; first += 1_000) {
    const items: Record<string, unknown>[] = [];
    for (let id = first; id < first + 1_000 && id <= size; id++) {
      const at = base + id * 60_000;
      const lastMessageId = messageId(at, String(id));
      const other = random() < 0.5 ? assignees[Math.floor(random() * assignees.length)] : undefined;
      const assignedTo = id % 500 === 0 ? seldomAssigned : other;
      const summary: StoredConversation = {
        companyId,
        contactId: id,
        lastMessageId,
        lastMessageAt: at,
        lastInboundAt: at,
        lastInboundId: lastMessageId,
        inboundAtByNumber: { 1: at },
        lastNumberId: 1,
        unread: random() < 0.25 ? 1 + Math.floor(random() * 3) : 0,
        status: random() < 0.8 ? 'closed' : 'open',
        ...(assignedTo === undefined ? {} : { assignedTo, assignedBy: assignedTo }),
        createdAt: at,
        updatedAt: at,
        rev: 3,
        checkpoints: { abcdef12: '111122223333444455556@498000' },
      };
      summaries.push(summary);
      const cell = countedCellOf(summary);
      cells[cell] = (cells[cell] ?? 0) + 1;
      const message = {
        companyId,
        contactId: id,
        id: lastMessageId,
        inbound: true,
        type: 1,
        subtype: 'text',
        value: `Where is order ${id}?`,
      };
      items.push(
        conversationEntity.stored(summary),
        messageEntity.stored({ ...message, status: 3, rev: 1, attempt: 0, createdAt: at, updatedAt: at }),
      );
    }
    await writer.write(items);
  }
  await writer.end();
  await counterEntity.put({ companyId, of: conversationEntityName, lastId: 0, total: size, cells, rev: 1, checkpoints: {} });
  await streaming(true);
  return summaries;
}
