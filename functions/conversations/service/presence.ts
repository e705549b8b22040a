import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { getUserNames } from '../../account/service/user-names.ts';
import { contactExists } from '../../contacts/service/contacts.ts';
import type { ConversationPresence, PresenceState } from '../contract/presence.ts';
import { deletePresence, listPresence, type Presence, putPresence } from '../store/presence.ts';

/** How long a user counts as present after a call. */
const presenceMs = 30_000;
/** A look that repeats what is stored writes it again once no more than this is left of it: the longest pause of a page that is seen, and a second. */
const leastLeftMs = 11_000;

interface Viewer {
  companyId: number;
  userId: number;
}

/** Says that the user looks at the conversation, and who else does. A token without a user only learns who does. */
export const setPresence = async (
  { companyId, userId }: Viewer,
  contactId: number,
  state: PresenceState,
): Promise<ConversationPresence | Problem<'not_found'>> => {
  if (!(await contactExists(companyId, contactId))) return problem('not_found');
  const at = now();
  const own =
    userId > 0 &&
    (state === 'left'
      ? deletePresence(companyId, contactId, userId)
      : putPresence({ companyId, contactId, userId, state, untilMs: at + presenceMs }));
  const [present] = await Promise.all([listPresence(companyId, contactId), own]);
  return { others: await othersIn(companyId, userId, present, at) };
};

/** Who else looks at a conversation; with a state, and where there is one, that the user does too. 0.5 RRU, and every twenty seconds 0.5 more and a write. */
export const repeatPresence = async (
  { companyId, userId }: Viewer,
  contactId: number,
  state: Presence['state'] | undefined,
): Promise<ConversationPresence['others']> => {
  const at = now();
  const present = await listPresence(companyId, contactId);
  const own = present.find((each) => each.userId === userId);
  const isStored = own?.state === state && own !== undefined && own.untilMs - at > leastLeftMs;
  if (state !== undefined && userId > 0 && !isStored && (await contactExists(companyId, contactId)))
    await putPresence({ companyId, contactId, userId, state, untilMs: at + presenceMs });
  return othersIn(companyId, userId, present, at);
};

async function othersIn(
  companyId: number,
  userId: number,
  present: readonly Presence[],
  at: number,
): Promise<ConversationPresence['others']> {
  const others = present
    .filter((each) => each.userId !== userId && each.untilMs > at)
    .toSorted((a, b) => b.untilMs - a.untilMs || a.userId - b.userId);
  if (others.length === 0) return [];
  const names = await getUserNames(
    companyId,
    others.map((each) => each.userId),
  );
  return others.map((each) => ({
    user: { id: each.userId, name: names.get(each.userId) ?? '' },
    state: each.state,
    until: isoTime(each.untilMs),
  }));
}
