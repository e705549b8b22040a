import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { MenuEntry } from '../../components/aria-menu.tsx';
import { read } from '../../data/queries.ts';
import { type InboxFilters, placeOfView, savedViewsIn, savedViewsName, toggleSavedView } from '../../data/saved-views.ts';
import { useSetFilters } from '../../data/search.ts';
import { useAssignees, useMe, useSession } from '../../data/session.ts';
import { useStored } from '../../data/stored.ts';
import { formatPhone } from '../../data/phone.ts';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';
import { useInboxFilters, views } from './inbox-list.ts';
import { toastRevert } from './revert-toast.tsx';

const cleared = { view: undefined, user: undefined, number: undefined, tag: undefined, waits: undefined, q: undefined, in: undefined };

interface MoreViews {
  /** What is shown, where it is one of these. */
  chosen: string | undefined;
  entries: readonly MenuEntry[];
  select: (id: string) => void;
}

/** The company's numbers that are in use, where there are several. */
const useNumbers = (): readonly { id: number; phone: string }[] => {
  const active = useMe().numbers.filter(({ status }) => status === 'active');
  return active.length > 1 ? active : [];
};

/** The tags of contacts, where one is shown or saved. */
const useTags = (isNeeded: boolean): readonly { id: number; name: string }[] =>
  useQuery({ ...read('listTags'), staleTime: 5 * 60_000, enabled: isNeeded }).data?.data ?? [];

/** Behind the views: who waits for an answer, a colleague's conversations, those of one number or tag, and what this user saved of what the list can show. */
export const useMoreViews = (
  /** Opens the choice of a tag. */
  onTag: () => void,
): MoreViews => {
  const text = useText(inboxText);
  const { stored } = useSession();
  const me = useMe();
  const users = useAssignees();
  const set = useSetFilters();
  const filters = useInboxFilters();
  const [written] = useStored(stored, savedViewsName);
  const saved = useMemo(() => savedViewsIn(written), [written]);
  const numbers = useNumbers();
  const tags = useTags([filters, ...saved].some((each) => each.tag !== undefined));
  const phoneOf = (number: number): string => formatPhone(numbers.find(({ id }) => id === number)?.phone ?? '') || `#${number}`;
  const tagName = (tag: number): string => tags.find(({ id }) => id === tag)?.name ?? `#${tag}`;
  const userName = (user: number): string => users.find(({ id }) => id === user)?.name ?? `#${user}`;
  const nameOf = ({ view: given, user, number, tag, waits, q }: InboxFilters): string => {
    const view = views.find((each) => each === given);
    const words = [
      view && text[view],
      waits && text.waitsForAnswer,
      user === undefined ? undefined : userName(user),
      number === undefined ? undefined : phoneOf(number),
      tag === undefined ? undefined : tagName(tag),
      q === undefined ? undefined : text.quoted(q),
    ];
    return words.filter((each) => each !== undefined).join(' · ');
  };
  const place = placeOfView(saved, filters);
  const isAny = Object.keys(filters).length > 0;
  const { user, number, tag, waits } = filters;
  const isOther = user !== undefined || number !== undefined || tag !== undefined || waits;
  return {
    chosen: place !== -1 || isOther ? nameOf(filters) : undefined,
    entries: [
      { id: 'waits', label: text.waitsForAnswer, icon: waits ? 'check' : 'clock' },
      ...users
        .filter(({ id }) => id !== me.id)
        .map(({ id, name }) => ({ id: `user-${id}`, label: name, icon: id === user ? ('check' as const) : ('user' as const) })),
      ...numbers.map(({ id, phone }) => ({
        id: `number-${id}`,
        label: formatPhone(phone),
        icon: id === number ? ('check' as const) : ('phone' as const),
      })),
      ...(tag === undefined ? [] : [{ id: `tag-${tag}`, label: tagName(tag), icon: 'check' as const }]),
      { id: 'tag', label: text.withTag, icon: 'tag' },
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
      if (kind === 'waits') set({ waits: waits ? undefined : 1 });
      else if (kind === 'number') set({ number: Number(nth) === number ? undefined : Number(nth) });
      else if (id === 'tag') onTag();
      else if (kind === 'tag') set({ tag: undefined });
      else if (kind === 'user') set({ ...cleared, user: Number(nth) });
      else if (kind === 'saved') set({ ...cleared, ...saved[Number(nth)], waits: saved[Number(nth)]?.waits && 1 });
      else {
        const before = toggleSavedView(stored, filters);
        toastRevert(text, place === -1 ? text.viewSaved : text.viewRemoved, () => stored.set(savedViewsName, before));
      }
    },
  };
};
