import type { StoredTexts } from './stored.ts';

/** What an address of the inbox shows: a view, whose conversations, at which number, with which tag, who waits, and what is searched for, perhaps in messages. */
export interface InboxFilters {
  view?: string;
  user?: number;
  number?: number;
  tag?: number;
  waits?: true;
  q?: string;
  in?: 'texts';
}

/** Two that show the same are written alike. */
export const plainFilters = ({
  view,
  user,
  number,
  tag,
  waits,
  q,
  in: place,
}: { [K in keyof InboxFilters]: InboxFilters[K] | undefined }): InboxFilters => ({
  ...(view === undefined || view === 'open' ? {} : { view }),
  ...(user === undefined ? {} : { user }),
  ...(number === undefined ? {} : { number }),
  ...(tag === undefined ? {} : { tag }),
  ...(waits === undefined ? {} : { waits }),
  ...(q === undefined || q === '' ? {} : { q, ...(place === undefined ? {} : { in: place }) }),
});

const isSame = (one: InboxFilters, other: InboxFilters): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Of a user, in this browser. What another version stored differently is left out. */
export const savedViewsIn = (text: string): InboxFilters[] => {
  try {
    const stored: unknown = text === '' ? [] : JSON.parse(text);
    return Array.isArray(stored) ? stored.flatMap(viewIn) : [];
  } catch {
    return [];
  }
};

const viewIn = (given: unknown): InboxFilters[] => {
  if (typeof given !== 'object' || given === null) return [];
  const { view, user, number, tag, waits, q, in: place } = given as Readonly<Record<string, unknown>>;
  const filters = plainFilters({
    view: typeof view === 'string' ? view : undefined,
    user: typeof user === 'number' ? user : undefined,
    number: typeof number === 'number' ? number : undefined,
    tag: typeof tag === 'number' ? tag : undefined,
    waits: waits === true ? waits : undefined,
    q: typeof q === 'string' ? q : undefined,
    in: place === 'texts' ? place : undefined,
  });
  return Object.keys(filters).length === 0 ? [] : [filters];
};

export const placeOfView = (saved: readonly InboxFilters[], filters: InboxFilters): number =>
  saved.findIndex((each) => isSame(each, filters));

/** Saves what is shown, or takes it out where it is saved; what was saved before. */
export const toggleSavedView = (stored: StoredTexts, filters: InboxFilters): string => {
  const before = stored.get(savedViewsName);
  const saved = savedViewsIn(before);
  const place = placeOfView(saved, filters);
  const after = place === -1 ? [...saved, filters] : saved.filter((_, nth) => nth !== place);
  stored.set(savedViewsName, after.length === 0 ? '' : JSON.stringify(after));
  return before;
};
export const savedViewsName = 'views';
