import type { Cells } from '../../../shared/events/recount.ts';
import { dayMs } from '../../../shared/runtime/clock.ts';
import { messageStatuses, type StoredMessage } from '../../messaging/contract/stored.ts';
import { channels, type StoredRequest } from '../../verification/contract/stored.ts';
import {
  maxUsageDays,
  type StoredUsagePart,
  usageCategories,
  type UsageCategory,
  type UsageDayId,
  type UsageFigures,
  type UsageQuery,
  type UsageStatus,
  usageStatuses,
  usageVerificationStatuses,
} from '../contract/usage.ts';

/**
 * What an item adds to its company's usage: nothing until it has an outcome, so that a message costs one write more, not one a status.
 * It depends on the item alone. A change takes away what the item added before and adds what it adds now, so it does not matter in which
 * order statuses came, nor how often.
 */
export interface Used {
  day: string;
  cells: Cells;
}

export const usedByMessage = (message: StoredMessage | undefined): Used | undefined => {
  const status = message && !message.inbound ? outcomeOf(message) : undefined;
  if (!message || !status) return undefined;
  const billable = message.pricing?.billable;
  return {
    day: dayOf(message.claimedAt ?? message.createdAt),
    cells: { [messageCell(categoryOf(message), status, billable === undefined ? '-' : billable ? 'y' : 'n')]: 1 },
  };
};

/** A request that has ended. Those of a test profile send no codes. */
export const usedByRequest = (request: StoredRequest | undefined): Used | undefined => {
  if (!request || request.status === 'pending' || request.test) return undefined;
  const of = `${request.channel}/${request.status}`;
  return {
    day: dayOf(request.endedAt ?? request.createdAt),
    cells: { [`v/${of}/${shortId(request.profileId)}`]: 1, ...(request.claimedSend > 0 ? { [`c/${of}`]: request.claimedSend } : {}) },
  };
};

/** What a cell says of a profile: enough to know it among those of a company. */
const shortId = (profileId: string): string => profileId.slice(0, 8);

/** The profile that a cell names; null of requests that were counted before cells named one. */
export const profileWithShortId = (given: string | undefined, profileIds: readonly string[]): string | null =>
  profileIds.find((id) => shortId(id) === given) ?? null;

/** The requests that cells count; `profile` as the cell names it. */
export const verificationCounts = (cells: Cells): { channel: string; status: string; profile: string | undefined; count: number }[] =>
  Object.entries(cells).flatMap(([cell, count]) => {
    const [kind, channel = '', status = '', profile] = cell.split('/');
    return kind === 'v' ? [{ channel, status, profile, count }] : [];
  });

/** What changed between two images of an item, by day. */
export const usageChanges = (before: Used | undefined, after: Used | undefined): Used[] => {
  const days = new Map<string, Record<string, number>>();
  for (const [used, sign] of [
    [before, -1],
    [after, 1],
  ] as const) {
    if (!used) continue;
    const cells = days.get(used.day) ?? {};
    for (const [cell, count] of Object.entries(used.cells)) addTo(cells, cell, sign * count);
    days.set(used.day, cells);
  }
  return [...days].filter(([, cells]) => Object.keys(cells).length > 0).map(([day, cells]) => ({ day, cells }));
};

/** A part of a day after a change; what another part counted may be taken away in this one. */
export const withUsage = (row: StoredUsagePart | undefined, { companyId, day }: UsageDayId, change: Cells): StoredUsagePart => {
  const cells = { ...row?.cells };
  for (const [cell, by] of Object.entries(change)) addTo(cells, cell, by);
  return { ...(row ?? { companyId, day, part: 0, rev: 0, checkpoints: {} }), cells };
};

/** One row for the parts of a day. */
export const sumOfUsage = (parts: readonly StoredUsagePart[]): Record<string, number> => {
  const cells: Record<string, number> = {};
  for (const part of parts) for (const [cell, count] of Object.entries(part.cells)) addTo(cells, cell, count);
  return cells;
};

/** The cells of a day that its items say, except where fewer are left than were counted. */
export const withWhatIsGone = (recounted: Cells, stored: Cells): Cells => {
  const counted = (cells: Cells, kind: string): number => Object.values(ofKinds(cells, kind)).reduce((sum, count) => sum + count, 0);
  const right = (kind: string): Cells => (counted(recounted, kind) < counted(stored, kind) ? stored : recounted);
  return { ...ofKinds(right('m'), 'm'), ...ofKinds(right('v'), 'vc') };
};

/** Cells of messages (m), of requests (v), of their codes (c). */
const ofKinds = (cells: Cells, kinds: string): Cells =>
  Object.fromEntries(Object.entries(cells).filter(([cell]) => kinds.includes(cell.charAt(0))));

/** Cells as the API shows them, in the order of the contract. */
export const figuresOf = (cells: Cells): UsageFigures => {
  const requests = verificationCounts(cells);
  return {
    messages: usageCategories.flatMap((category) =>
      usageStatuses.flatMap((status) =>
        billables.flatMap(({ billable, code }) => {
          const count = cells[messageCell(category, status, code)] ?? 0;
          return count === 0 ? [] : [{ category, status, billable, count }];
        }),
      ),
    ),
    verifications: channels.flatMap((channel) =>
      usageVerificationStatuses.flatMap((status) => {
        const count = requests.reduce((sum, each) => sum + (each.channel === channel && each.status === status ? each.count : 0), 0);
        const codes = cells[`c/${channel}/${status}`] ?? 0;
        return count === 0 && codes === 0 ? [] : [{ channel, status, count, codes }];
      }),
    ),
  };
};

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

const defaultDays = 30;

const billables = [
  { billable: true, code: 'y' },
  { billable: false, code: 'n' },
  { billable: null, code: '-' },
] as const;

const messageCell = (category: UsageCategory, status: UsageStatus, billable: (typeof billables)[number]['code']): string =>
  `m/${category}/${status}/${billable}`;

/** Whether it was read later is the message's to show: it would be one write more. */
const outcomeOf = ({ status, ambiguous }: StoredMessage): UsageStatus | undefined => {
  if (status === messageStatuses.delivered || status === messageStatuses.read) return 'delivered';
  if (status !== messageStatuses.failed) return undefined;
  return ambiguous ? 'ambiguous' : 'failed';
};

/** Words of the provider are bounded: a row must not grow with what it posts. */
const categoryOf = ({ pricing, template, campaign }: StoredMessage): UsageCategory => {
  if (pricing?.category === undefined) return template || campaign ? 'unknown' : 'service';
  const given = pricing.category.toLowerCase();
  return usageCategories.find((category) => category === given) ?? 'other';
};

const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

function addTo(cells: Record<string, number>, cell: string, by: number): void {
  const count = (cells[cell] ?? 0) + by;
  if (count === 0) delete cells[cell];
  else cells[cell] = count;
}
