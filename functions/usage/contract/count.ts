import type { Cells } from '../../../shared/events/recount.ts';
import { type ItemKind, projectPart, reaction } from '../../../shared/events/react.ts';
import { usageChanges, withUsage } from '../domain.ts';
import { usagePartTarget } from './stored.ts';

/**
 * What an item adds to its company's usage: nothing until it has an outcome, so that a message costs one write more, not one a status.
 * It depends on the item alone. A change takes away what the item added before and adds what it adds now, so it does not matter in which
 * order statuses came, nor how often.
 */
export interface Used {
  day: string;
  cells: Cells;
}

export const utcDayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

/** A context counts its items by this reaction. An item that is gone, erased or expired, was used all the same. */
export const usageReaction = <T extends { companyId: number }>(
  kind: ItemKind<T>,
  usedBy: (item: T | undefined) => Used | readonly Used[] | undefined,
) =>
  reaction<T>(kind, ({ before, after }) => {
    if (!after) return [];
    const { companyId } = after;
    return usageChanges(usedBy(before), usedBy(after)).map(({ day, cells }) =>
      projectPart({ part: usagePartTarget }, { companyId, day }, (row) => withUsage(row, { companyId, day }, cells)),
    );
  });
