import { useMemo } from 'react';
import type { MenuEntry } from '../../components/aria-menu.tsx';
import { type InboxFilters, placeOfView, savedViewsIn, savedViewsName, toggleSavedView } from '../../data/saved-views.ts';
import { useSetFilters } from '../../data/search.ts';
import { useAssignees, useMe, useSession } from '../../data/session.ts';
import { useStored } from '../../data/stored.ts';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';
import { useInboxFilters, views } from './inbox-list.ts';
import { toastRevert } from './revert-toast.tsx';

const cleared = { view: undefined, user: undefined, q: undefined, in: undefined };

interface MoreViews {
  /** What is shown, where it is one of these. */
  chosen: string | undefined;
  entries: readonly MenuEntry[];
  select: (id: string) => void;
}

/** Behind the views: the conversations of a colleague, and what this user saved of what the list can show. */
export const useMoreViews = (): MoreViews => {
  const text = useText(inboxText);
  const { stored } = useSession();
  const me = useMe();
  const users = useAssignees();
  const set = useSetFilters();
  const filters = useInboxFilters();
  const [written] = useStored(stored, savedViewsName);
  const saved = useMemo(() => savedViewsIn(written), [written]);
  const userName = (user: number): string => users.find(({ id }) => id === user)?.name ?? `#${user}`;
  const nameOf = ({ view: given, user, q }: InboxFilters): string => {
    const view = views.find((each) => each === given);
    const words = [view && text[view], user === undefined ? undefined : userName(user), q === undefined ? undefined : text.quoted(q)];
    return words.filter((each) => each !== undefined).join(' · ');
  };
  const place = placeOfView(saved, filters);
  const isAny = Object.keys(filters).length > 0;
  const { user } = filters;
  return {
    chosen: place === -1 ? (user === undefined ? undefined : userName(user)) : nameOf(filters),
    entries: [
      ...users
        .filter(({ id }) => id !== me.id)
        .map(({ id, name }) => ({ id: `user-${id}`, label: name, icon: id === user ? ('check' as const) : ('user' as const) })),
      ...saved.map((each, nth) => ({
        id: `saved-${nth}`,
        label: nameOf(each),
        icon: nth === place ? ('check' as const) : ('search' as const),
      })),
      ...(isAny
        ? [{ id: 'save', label: place === -1 ? text.saveView : text.removeView, icon: place === -1 ? 'plus' : 'trash' } as const]
        : []),
    ],
    select: (id) => {
      const [kind, nth = ''] = id.split('-');
      if (kind === 'user') set({ ...cleared, user: Number(nth) });
      else if (kind === 'saved') set({ ...cleared, ...saved[Number(nth)] });
      else {
        const before = toggleSavedView(stored, filters);
        toastRevert(text, place === -1 ? text.viewSaved : text.viewRemoved, () => stored.set(savedViewsName, before));
      }
    },
  };
};
