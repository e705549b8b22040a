import { type InfiniteData, replaceEqualDeep } from '@tanstack/react-query';

interface Row {
  id?: number | string;
}
type Rows = InfiniteData<{ data: readonly Row[]; meta: unknown }>;

/**
 * A list that was read again, with the very rows of before where they are as they were, in whatever place: what shows them is drawn again for
 * the others alone. For queries' `structuralSharing`, which by itself compares place by place.
 *
 * A list that is as it was is the very list of before: a new one with each call would have a page drawn without end while it shows the rows of
 * another view (`keepPreviousData`).
 */
export const shareRows = (before: unknown, after: unknown): unknown => {
  if (before === undefined || before === after) return after;
  const [old, now] = [before as Rows, after as Rows];
  const known = new Map(old.pages.flatMap(({ data }) => data.map((row) => [row.id, row] as const)));
  const pages = now.pages.map((page, nth) => {
    const data = page.data.map((row) => (row.id === undefined ? row : replaceEqualDeep(known.get(row.id), row)));
    const same = old.pages[nth];
    return same && isSame(data, same.data) ? replaceEqualDeep(same, { ...page, data: same.data }) : { ...page, data };
  });
  return isSame(pages, old.pages) && isSame(now.pageParams, old.pageParams) ? before : { ...now, pages };
};

const isSame = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((each, index) => each === others[index]);
