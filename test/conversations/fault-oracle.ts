import * as z from 'zod';
import { conversationEntityName, storedConversation, type StoredConversation } from '../../functions/conversations/contract/stored.ts';
import { isListed } from '../../functions/conversations/domain/conversation.ts';
import { checkConversations } from '../messaging/fault-conversations.ts';
import type { Fixture } from '../messaging/fixture.ts';
import type { Desk } from './fault-run.ts';

/** Where a company's conversations differ from a recount, from what its users requested, or from the list that they are shown. */
export const checkInbox = async (fixture: Fixture, desk: Desk): Promise<string[]> => {
  const dump = await fixture.testApp.dump();
  const wrong = [...(await checkConversations(fixture, desk, dump)), ...(await unmetRequests(fixture, desk))];
  const conversations = conversationsOf(dump, desk);
  const shown = await listed(fixture, desk);
  const expected = conversations
    .filter(isListed)
    .toSorted((a, b) => b.lastMessageAt - a.lastMessageAt || b.contactId - a.contactId)
    .map(({ contactId: id, unread, markedUnread, status, assignedTo }) => ({
      id,
      unread_count: Math.max(unread, markedUnread ? 1 : 0),
      status,
      assigned_to: assignedTo ?? null,
    }));
  if (JSON.stringify(shown) !== JSON.stringify(expected))
    wrong.push(`the list shows ${JSON.stringify(shown)}, not ${JSON.stringify(expected)}`);
  const longAgo = fixture.testApp.clock.now() - 300_000;
  for (const { contactId, snoozedUntil } of conversations.filter(isListed))
    if (snoozedUntil !== undefined && snoozedUntil < longAgo)
      wrong.push(`conversation ${contactId} did not come back when its snooze was over`);
  for (const spec of fixture.testApp.contexts.flatMap((context) => context.functions))
    if (spec.trigger === 'queue' && fixture.testApp.deadLettersOf(spec.queue).length > 0) wrong.push(`dead letters of ${spec.queue.name}`);
  return wrong;
};

/** What is shown to be other than it was last set to be. */
export const unmetRequests = async (fixture: Fixture, { requests, ...desk }: Desk): Promise<string[]> => {
  const answer = await fixture.testApp.call({ method: 'GET', path: '/api/v1/conversations/keywords', token: desk.tokens.viewer });
  const { data: words } = keywords.parse(answer.body);
  const shown = await listed(fixture, desk);
  const is = new Map<string, unknown>([
    ...Object.entries(words),
    ...shown.map(({ id, assigned_to }) => [assigneeOf(id), assigned_to] as const),
  ]);
  return [...requests]
    .filter(([what, wished]) => is.has(what) && !wished.some((each) => JSON.stringify(each) === JSON.stringify(is.get(what))))
    .map(([what, wished]) => `${what}: ${JSON.stringify(is.get(what))}, asked for ${JSON.stringify(wished)}`);
};

/** The name under which a request for a conversation's assignee is kept. */
export const assigneeOf = (contactId: number): string => `assignee of ${contactId}`;

/** What everybody read and closed opens again for nothing that was delivered before. */
export const stillClosed = async ({ testApp }: Fixture, desk: Desk): Promise<string[]> => {
  const closed: number[] = [];
  for (const { contactId } of conversationsOf(await testApp.dump(), desk).filter(isListed)) {
    const path = `/api/v1/conversations/${contactId}`;
    const read = await testApp.call({ method: 'PUT', path: `${path}/read`, token: desk.tokens.member });
    const answer = await testApp.call({ method: 'PUT', path, token: desk.tokens.member, body: { status: 'closed' } });
    if (read.status === 200 && answer.status === 200) closed.push(contactId);
  }
  await testApp.drain({ disorder: { seed: 1, duplicate: 0.7, crash: 0.3, replay: 0.7 } });
  await testApp.redeliver(() => 0, 1);
  await testApp.drain({ disorder: { seed: 2, duplicate: 0.7, replay: 0.7 } });
  return conversationsOf(await testApp.dump(), desk)
    .filter((conversation) => closed.includes(conversation.contactId) && (conversation.status !== 'closed' || conversation.unread !== 0))
    .map(({ contactId, status, unread }) => `conversation ${contactId} was closed, and is ${status} with ${unread} unread`);
};

const conversationsOf = (dump: readonly Record<string, unknown>[], { id }: Desk): StoredConversation[] =>
  dump.filter((item) => item['kind'] === conversationEntityName && item['companyId'] === id).map((item) => storedConversation.parse(item));

const keywords = z.object({ data: z.object({ stop: z.array(z.string()).nullable(), start: z.array(z.string()).nullable() }) });
const page = z.object({
  data: z.array(z.object({ id: z.int(), unread_count: z.int(), status: z.string(), assigned_to: z.int().nullable() })),
  meta: z.object({ next_cursor: z.string().nullable() }),
});

async function listed({ testApp }: Fixture, desk: Pick<Desk, 'tokens'>): Promise<z.output<typeof page>['data']> {
  const rows: z.output<typeof page>['data'] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 100, ...(cursor === undefined ? {} : { cursor }) };
    const answer = await testApp.call({ method: 'GET', path: '/api/v1/conversations', token: desk.tokens.viewer, query });
    const { data, meta } = page.parse(answer.body);
    rows.push(...data);
    cursor = meta.next_cursor;
  }
  return rows;
}
