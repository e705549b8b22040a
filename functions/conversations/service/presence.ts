import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { getUserNames } from '../../account/service/user-names.ts';
import { contactExists } from '../../contacts/service/contacts.ts';
import type { ConversationPresence, PresenceState } from '../contract/presence.ts';
import { deletePresence, listPresence, putPresence } from '../store/presence.ts';

/** How long a user counts as present after a call. */
const presenceMs = 30_000;

/** Says that the user looks at the conversation, and who else does. A token without a user only learns who does. */
export const setPresence = async (
  { companyId, userId }: { companyId: number; userId: number },
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
  const others = present
    .filter((each) => each.userId !== userId && each.untilMs > at)
    .toSorted((a, b) => b.untilMs - a.untilMs || a.userId - b.userId);
  if (others.length === 0) return { others: [] };
  const names = await getUserNames(
    companyId,
    others.map((each) => each.userId),
  );
  return {
    others: others.map((each) => ({
      user: { id: each.userId, name: names.get(each.userId) ?? '' },
      state: each.state,
      until: isoTime(each.untilMs),
    })),
  };
};
