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
import { isListed, isUnread, snoozeProblem } from '../domain/conversation.ts';
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

/** Opens or closes it, gives it to a user or takes it back, marks it unread, puts it away or brings it back. What is not given stays. */
export const updateConversation = async (
  { companyId, userId }: { companyId: number; userId: number },
  contactId: number,
  changes: StateChanges,
): Promise<ConversationRow | Problem<'not_found' | 'validation_failed'>> =>
  snoozedUntilProblem(changes) ??
  (await assigneeProblem(companyId, changes.assigned_to)) ??
  changeConversationState({ companyId, userId }, contactId, changes);

interface StateChanges {
  status?: StoredConversation['status'] | undefined;
  assigned_to?: number | null | undefined;
  unread?: true | undefined;
  /** Epoch milliseconds; null: not any longer. */
  snoozed_until?: number | null | undefined;
}

function snoozedUntilProblem({ status, snoozed_until: until }: StateChanges): Problem<'validation_failed'> | undefined {
  if (typeof until !== 'number') return undefined;
  const reason = status === 'closed' ? 'Must not be given with status closed.' : snoozeProblem(until, now());
  return reason === undefined ? undefined : invalid('snoozed_until', reason);
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
  { status: given, assigned_to, unread, snoozed_until }: StateChanges,
): Promise<ConversationRow | Problem<'not_found'>> =>
  changeSummary(companyId, contactId, (summary, at) => {
    const status = given ?? (typeof snoozed_until === 'number' ? 'open' : summary.status);
    const wanted = snoozed_until === undefined ? summary.snoozedUntil : (snoozed_until ?? undefined);
    const snoozedUntil = status === 'closed' ? undefined : wanted;
    const isSnoozeChanged = snoozedUntil !== summary.snoozedUntil;
    const assignedTo = assigned_to === undefined ? summary.assignedTo : (assigned_to ?? undefined);
    const isReassigned = assignedTo !== summary.assignedTo;
    const isMarked = unread === true && !isUnread(summary);
    if (status === summary.status && !isReassigned && !isMarked && !isSnoozeChanged) return undefined;
    return {
      status,
      updatedAt: at,
      ...(status === 'closed' ? { waitingSince: undefined } : {}),
      ...(status === 'open' && summary.status === 'closed' ? { openedAt: at } : {}),
      ...(isSnoozeChanged ? { snoozedUntil } : {}),
      ...(isReassigned ? { assignedTo, assignedBy: userId || undefined } : {}),
      ...(isMarked ? { markedUnread: true } : {}),
    };
  });

/** The same for several, ten at a time; the user they are given to is checked once, before any is changed. */
export const bulkUpdateConversations = async (
  caller: { companyId: number; userId: number },
  { ids, ...changes }: { ids: readonly number[] } & Omit<StateChanges, 'unread'>,
): Promise<{ updated: number[]; not_found: number[] } | Problem<'validation_failed'>> => {
  const { companyId, userId } = caller;
  const refused = snoozedUntilProblem(changes) ?? (await assigneeProblem(companyId, changes.assigned_to));
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

/**
 * The time until which it was put away is over: it is back, and unread, so that a user sees it. One that was put away until another time, or
 * brought back, stays as it is. 0.5 RRU, 5 WRU.
 */
export const endSnooze = async (companyId: number, contactId: number, untilMs: number): Promise<void> => {
  // the dispatcher's clock and this one differ by a moment at most
  if (untilMs - now() > mostEarlyMs) throw new Error('The end of a snooze came more than five seconds early.');
  await writeSummary(companyId, contactId, (summary, at) =>
    summary.snoozedUntil === untilMs ? { snoozedUntil: undefined, markedUnread: true, updatedAt: at } : undefined,
  );
};

const mostEarlyMs = 5_000;

/** The change of a summary; undefined when it has the values already. */
type SummaryChange = (
  summary: StoredConversation,
  at: number,
) => { [K in keyof StoredConversation]?: StoredConversation[K] | undefined } | undefined;

async function changeSummary(companyId: number, contactId: number, change: SummaryChange): Promise<ConversationRow | Problem<'not_found'>> {
  const summary = await writeSummary(companyId, contactId, change);
  const [row] = summary ? await toConversationRows(companyId, [summary]) : [];
  return row ?? problem('not_found');
}

/** Changes the summary, also while the projection writes it; undefined when it is in no list. */
async function writeSummary(companyId: number, contactId: number, change: SummaryChange): Promise<StoredConversation | undefined> {
  let summary = await getSummary(companyId, contactId, { consistent: true });
  const attempt = async (): Promise<StoredConversation | undefined | typeof conflict> => {
    if (!summary || !isListed(summary)) return undefined;
    const wanted = change(summary, now());
    const written = wanted && (await changeConversation(summary, { ...(wanted as Partial<StoredConversation>), changedBy: changedBy() }));
    if (!written) return summary;
    if (written.done) return written.item;
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
export async function toConversationRows(
  companyId: number,
  summaries: readonly StoredConversation[],
  options: { consistent?: boolean } = {},
): Promise<ConversationRow[]> {
  const [cards, messages] = await Promise.all([
    contactCardsWithBlock(
      companyId,
      summaries.map((summary) => summary.contactId),
    ),
    getContactMessages(
      companyId,
      summaries.map((summary) => ({ contactId: ownerOfLast(summary), id: summary.lastMessageId })),
      options,
    ),
  ]);
  return summaries.flatMap((summary) => {
    const contact = cards.find((card) => card.id === summary.contactId);
    const lastMessage = messages.find(({ contactId, id }) => contactId === ownerOfLast(summary) && id === summary.lastMessageId);
    return contact && lastMessage ? [{ summary, contact, lastMessage }] : [];
  });
}
