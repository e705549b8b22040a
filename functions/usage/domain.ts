import type { Cells } from '../../shared/events/recount.ts';
import { dayMs } from '../../shared/runtime/clock.ts';
import { collapsedCell, maxCellsOfPart } from './contract/charges.ts';
import { maxUsageDays, type UsageQuery } from './contract/range.ts';
import { cellGroups, type StoredUsagePart, type UsageDayId } from './contract/stored.ts';

/** What an item adds to a day. */
interface UsedOnDay {
  day: string;
  cells: Cells;
}

/** What an item adds: to one day, or to several. */
type UsedOnDays = UsedOnDay | readonly UsedOnDay[] | undefined;

/** What changed between two images of an item, by day. */
export const usageChanges = (before: UsedOnDays, after: UsedOnDays): UsedOnDay[] => {
  const days = new Map<string, Record<string, number>>();
  for (const [used, sign] of [
    [before, -1],
    [after, 1],
  ] as const) {
    for (const each of [used ?? []].flat()) {
      const cells = days.get(each.day) ?? {};
      for (const [cell, count] of Object.entries(each.cells)) addTo(cells, cell, sign * count);
      days.set(each.day, cells);
    }
  }
  return [...days].filter(([, cells]) => Object.keys(cells).length > 0).map(([day, cells]) => ({ day, cells }));
};

/** A part of a day after a change; what another part counted may be taken away in this one. */
export const withUsage = (row: StoredUsagePart | undefined, { companyId, day }: UsageDayId, change: Cells): StoredUsagePart => {
  const cells = { ...row?.cells };
  for (const [cell, by] of Object.entries(change)) addTo(cells, placeOf(cells, cell), by);
  return { ...(row ?? { companyId, day, part: 0, rev: 0, checkpoints: {} }), cells };
};

/** Bounded, since a part is written with every batch of changes and paid for by its size. */
const placeOf = (cells: Cells, cell: string): string =>
  cells[cell] !== undefined || Object.keys(cells).length < maxCellsOfPart ? cell : (collapsedCell(cell) ?? cell);

/** The cells of the parts of a day, or of several days. */
export const sumOfUsage = (parts: readonly { cells: Cells }[]): Record<string, number> => {
  const cells: Record<string, number> = {};
  for (const part of parts) for (const [cell, count] of Object.entries(part.cells)) addTo(cells, cell, count);
  return cells;
};

/** The cells of a day that its items say, except where fewer are left than were counted. */
export const withWhatIsGone = (recounted: Cells, stored: Cells): Cells =>
  Object.assign(
    {},
    ...cellGroups.map((group) => {
      const counted = (cells: Cells): number => Object.values(ofKinds(cells, group.charAt(0))).reduce((sum, count) => sum + count, 0);
      const isGone = counted(recounted) < counted(stored);
      return ofKinds(isGone || isSameTogether(ofKinds(recounted, group), ofKinds(stored, group)) ? stored : recounted, group);
    }),
  );

/** What did not fit into a part was counted together, by the order in which it came: then it is compared together. */
const isSameTogether = (recounted: Cells, stored: Cells): boolean => {
  if (![recounted, stored].some((cells) => Object.keys(cells).some((cell) => collapsedCell(cell) === cell))) return false;
  const [one, other] = [together(recounted), together(stored)];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((cell) => one[cell] === other[cell]);
};

const together = (cells: Cells): Cells => {
  const sums: Record<string, number> = {};
  for (const [cell, count] of Object.entries(cells)) addTo(sums, collapsedCell(cell) ?? cell, count);
  return sums;
};

const ofKinds = (cells: Cells, kinds: string): Cells =>
  Object.fromEntries(Object.entries(cells).filter(([cell]) => kinds.includes(cell.charAt(0))));

export type UsageRange = { days: string[] } | { field: 'from' | 'to'; reason: string };

/** The days of a range, in order; or which bound is wrong. */
export const daysOfRange = ({ from, to }: UsageQuery, nowMs: number): UsageRange => {
  const last = to === undefined ? startOf(dayOf(nowMs)) : startOf(to);
  const first = from === undefined ? last - (defaultDays - 1) * dayMs : startOf(from);
  if (first > last) return { field: to === undefined ? 'from' : 'to', reason: 'The range must not end before it begins.' };
  const count = (last - first) / dayMs + 1;
  if (count > maxUsageDays) return { field: 'from', reason: `A range has at most ${maxUsageDays} days.` };
  return { days: Array.from({ length: count }, (_, nth) => dayOf(first + nth * dayMs)) };
};

/** The days of a month before one of them, in order. */
export const daysBefore = (day: string): string[] =>
  Array.from({ length: Number(day.slice(8)) - 1 }, (_, nth) => `${day.slice(0, 8)}${String(nth + 1).padStart(2, '0')}`);

const defaultDays = 30;

const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

function addTo(cells: Record<string, number>, cell: string, by: number): void {
  const count = (cells[cell] ?? 0) + by;
  if (count === 0) delete cells[cell];
  else cells[cell] = count;
}
