import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { currentActor } from '../../../shared/runtime/actor.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { getUser } from '../../account/service/users.ts';
import { contactCardsWithBlock } from '../../contacts/service/contacts.ts';
import { isCustomerMessage } from '../../messaging/contract/inbound.ts';
import type { StoredMessage } from '../../messaging/contract/stored.ts';
import { getContactMessages, listContactMessages } from '../../messaging/service/messages.ts';
import type { StoredConversation } from '../contract/stored.ts';
import { isListed, isUnread } from '../domain.ts';
import { changeConversation, getSummary } from '../store/conversation.ts';

export interface ConversationRow {
  summary: StoredConversation;
  contact: { id: number; name: string | null; phone: string; blocked: boolean };
  lastMessage: StoredMessage;
}

/** The conversation as lists show it. */
export const getConversation = async (companyId: number, contactId: number): Promise<ConversationRow | Problem<'not_found'>> => {
  const summary = await getSummary(companyId, contactId);
  const [row] = summary && isListed(summary) ? await toConversationRows(companyId, [summary]) : [];
  return row ?? problem('not_found');
};

/**
 * Marks all messages so far as read; a reaction notifies the provider. A second call changes nothing. The time up to which it is read comes
 * from the clocks that stamped the messages: the clock of this worker may be behind or ahead of them.
 */
export const readConversation = async (companyId: number, contactId: number): Promise<ConversationRow | Problem<'not_found'>> => {
  // of merged contacts the summary has the newest one
  const latest = await listContactMessages(companyId, [contactId], {
    limit: 20,
    beforeId: undefined,
    newerThanMs: undefined,
    consistent: true,
  });
  const newest = latest.filter(isCustomerMessage);
  return changeSummary(companyId, contactId, (summary, at) => {
    const readInboundId = Math.max(newest[0]?.id ?? 0, summary.lastInboundId ?? 0, summary.readInboundId ?? 0) || undefined;
    const isRead = newest.every(({ updatedAt }) => updatedAt <= (summary.readAt ?? 0));
    if (!isUnread(summary) && isRead && readInboundId === summary.readInboundId) return undefined;
    const readAt = Math.max(summary.readAt ?? 0, summary.updatedAt, ...newest.map(({ updatedAt }) => updatedAt));
    return { unread: 0, markedUnread: undefined, readAt, updatedAt: at, ...(readInboundId === undefined ? {} : { readInboundId }) };
  });
};

/** Opens or closes it, gives it to a user or takes it back, marks it unread. What is not given stays. */
export const updateConversation = async (
  { companyId, userId }: { companyId: number; userId: number },
  contactId: number,
  { status, assigned_to, unread }: StateChanges,
): Promise<ConversationRow | Problem<'not_found' | 'validation_failed'>> =>
  (await assigneeProblem(companyId, assigned_to)) ??
  changeConversationState({ companyId, userId }, contactId, { status, assigned_to, unread });

interface StateChanges {
  status?: StoredConversation['status'] | undefined;
  assigned_to?: number | null | undefined;
  unread?: true | undefined;
}

async function assigneeProblem(
  companyId: number,
  assignedTo: number | null | undefined,
): Promise<Problem<'validation_failed'> | undefined> {
  if (typeof assignedTo !== 'number') return undefined;
  const user = await getUser(companyId, assignedTo);
  const mayAnswer = user?.status === 'active' && user.role !== 'viewer';
  return mayAnswer ? undefined : invalid('assigned_to', 'Must be an active user of the company who may answer: no viewer.');
}

const changeConversationState = (
  { companyId, userId }: { companyId: number; userId: number },
  contactId: number,
  { status, assigned_to, unread }: StateChanges,
): Promise<ConversationRow | Problem<'not_found'>> =>
  changeSummary(companyId, contactId, (summary, at) => {
    const assignedTo = assigned_to === undefined ? summary.assignedTo : (assigned_to ?? undefined);
    const isReassigned = assignedTo !== summary.assignedTo;
    const isMarked = unread === true && !isUnread(summary);
    if ((status ?? summary.status) === summary.status && !isReassigned && !isMarked) return undefined;
    return {
      status: status ?? summary.status,
      updatedAt: at,
      ...(isReassigned ? { assignedTo, assignedBy: userId || undefined } : {}),
      ...(isMarked ? { markedUnread: true } : {}),
    };
  });

/** The same for several, ten at a time; the user they are given to is checked once, before any is changed. */
export const bulkUpdateConversations = async (
  caller: { companyId: number; userId: number },
  { ids, ...changes }: { ids: readonly number[] } & Pick<Parameters<typeof updateConversation>[2], 'status' | 'assigned_to'>,
): Promise<{ updated: number[]; not_found: number[] } | Problem<'validation_failed'>> => {
  const { companyId, userId } = caller;
  const refused = await assigneeProblem(companyId, changes.assigned_to);
  if (refused) return refused;
  const missing = new Set<number>();
  for (let start = 0; start < ids.length; start += 10)
    await Promise.all(
      ids.slice(start, start + 10).map(async (id) => {
        if (isProblem(await changeConversationState({ companyId, userId }, id, changes))) missing.add(id);
      }),
    );
  return { updated: ids.filter((id) => !missing.has(id)), not_found: [...missing].toSorted((a, b) => a - b) };
};

/** Changes the summary, also while the projection writes it; `change` gives undefined when the summary has the values already. */
async function changeSummary(
  companyId: number,
  contactId: number,
  change: (summary: StoredConversation, at: number) => { [K in keyof StoredConversation]?: StoredConversation[K] | undefined } | undefined,
): Promise<ConversationRow | Problem<'not_found'>> {
  let summary = await getSummary(companyId, contactId, { consistent: true });
  const attempt = async (): Promise<ConversationRow | Problem<'not_found'> | typeof conflict> => {
    if (!summary || !isListed(summary)) return problem('not_found');
    const wanted = change(summary, now());
    const written = wanted && (await changeConversation(summary, { ...(wanted as Partial<StoredConversation>), changedBy: changedBy() }));
    if (!written || written.done) {
      const [row] = await toConversationRows(companyId, [written ? written.item : summary]);
      return row ?? problem('not_found');
    }
    summary = written.current;
    return conflict;
  };
  return retryOnConflict(20, attempt);
}

function changedBy(): NonNullable<StoredConversation['changedBy']> {
  const { via, userId, credentialId } = currentActor();
  return { via, ...defined({ userId, credentialId }) };
}

const ownerOfLast = ({ lastMessageOf, contactId }: StoredConversation): number => lastMessageOf ?? contactId;

/** What lists show of each; those whose contact or last message is gone are left out. 1 RRU for a few. */
export async function toConversationRows(companyId: number, summaries: readonly StoredConversation[]): Promise<ConversationRow[]> {
  const [cards, messages] = await Promise.all([
    contactCardsWithBlock(
      companyId,
      summaries.map((summary) => summary.contactId),
    ),
    getContactMessages(
      companyId,
      summaries.map((summary) => ({ contactId: ownerOfLast(summary), id: summary.lastMessageId })),
    ),
  ]);
  return summaries.flatMap((summary) => {
    const contact = cards.find((card) => card.id === summary.contactId);
    const lastMessage = messages.find(({ contactId, id }) => contactId === ownerOfLast(summary) && id === summary.lastMessageId);
    return contact && lastMessage ? [{ summary, contact, lastMessage }] : [];
  });
}
