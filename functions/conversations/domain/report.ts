import { dayMs, hourMs } from '../../../shared/runtime/clock.ts';
import { wallOf } from '../../../shared/runtime/zone.ts';
import type { Cells } from '../../../shared/events/recount.ts';
import type { InboxDayId, InboxFigures, InboxReport, StoredInboxDay } from '../contract/report.ts';
import type { StoredConversation } from '../contract/stored.ts';

/** What a change of a conversation adds to the report, by UTC day. */
export const reportedBy = (before: StoredConversation | undefined, after: StoredConversation): { day: string; cells: Cells }[] => {
  const days = new Map<string, Record<string, number>>();
  const count = (at: number, cell: string): void => {
    const day = new Date(at).toISOString().slice(0, 10);
    const cells = days.get(day) ?? {};
    cells[cell] = (cells[cell] ?? 0) + 1;
    days.set(day, cells);
  };
  const { answered } = after;
  if (answered && answered.at !== before?.answered?.at) {
    count(answered.at, `a${answered.userId ?? 0}:${bucketOf(answered.afterMs)}`);
    count(answered.at - answered.afterMs, hourCell(answered.at - answered.afterMs));
  }
  if (before?.status === 'open' && after.status === 'closed' && before.openedAt !== undefined) {
    const at = after.updatedAt;
    count(at, `c${after.changedBy?.userId ?? 0}:${bucketOf(at - before.openedAt)}`);
    if (before.waitingSince !== undefined) count(before.waitingSince, hourCell(before.waitingSince));
  }
  return [...days].map(([day, cells]) => ({ day, cells }));
};

const hourCell = (at: number): string => `h${new Date(at).getUTCHours()}`;

/** Two buckets double a time: what is between their bounds differs by less than a half. */
const bucketOf = (ms: number): number => Math.floor(2 * Math.log2(Math.max(1, ms / 1_000)));
const secondsAt = (bucket: number): number => 2 ** (bucket / 2);

/** A part of a day after a change. Where its cells are many, further users count as none, so that no company's day grows without bound. */
export const withReported = (row: StoredInboxDay | undefined, { companyId, day }: InboxDayId, change: Cells): StoredInboxDay => {
  const cells = { ...row?.cells };
  for (const [cell, by] of Object.entries(change)) {
    const name = cell in cells || Object.keys(cells).length < maxCells ? cell : cell.replace(/^([ac])\d+/, '$10');
    cells[name] = (cells[name] ?? 0) + by;
  }
  return { ...(row ?? { companyId, day, part: 0, rev: 0, checkpoints: {} }), cells };
};

/** About 8 KB. Beyond it come at most the buckets of no user, twice 54, and the hours. */
const maxCells = 500;

export interface ReportedDay {
  date: string;
  cells: Cells;
}

/** The report of a range; `timezone`: of the hours. */
export const reportOf = (days: readonly ReportedDay[], timezone: string): Omit<InboxReport, 'from' | 'to'> => {
  const all = days.flatMap(({ cells }) => Object.entries(cells));
  const users = Map.groupBy(
    all.filter(([cell]) => !cell.startsWith('h')),
    ([cell]) => Number(/^.(\d+)/.exec(cell)?.[1]),
  );
  return {
    timezone,
    totals: { ...figuresOf(all), slow_answer_seconds: quantile(bucketsOf(all, 'a'), 0.9) },
    days: days.map(({ date, cells }) => ({ date, ...figuresOf(Object.entries(cells)) })),
    hours: hoursOf(days, timezone),
    users: [...users]
      .map(([id, cells]) => ({ user_id: id || null, ...figuresOf(cells) }))
      .toSorted((one, other) => other.answered - one.answered || other.closed - one.closed || (one.user_id ?? 0) - (other.user_id ?? 0)),
  };
};

type CellList = readonly (readonly [string, number])[];

const figuresOf = (cells: CellList): InboxFigures => {
  const [answers, closings] = [bucketsOf(cells, 'a'), bucketsOf(cells, 'c')];
  return {
    answered: countIn(answers),
    median_answer_seconds: quantile(answers, 0.5),
    closed: countIn(closings),
    median_close_seconds: quantile(closings, 0.5),
  };
};

type Buckets = ReadonlyMap<number, number>;

function bucketsOf(cells: CellList, kind: 'a' | 'c'): Buckets {
  const buckets = new Map<number, number>();
  for (const [cell, count] of cells) {
    if (!cell.startsWith(kind)) continue;
    const bucket = Number(cell.split(':')[1]);
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + count);
  }
  return buckets;
}

const countIn = (buckets: Buckets): number => [...buckets.values()].reduce((sum, count) => sum + count, 0);

/** The time that a share of all are under, in whole seconds: where it falls within its bucket. */
const quantile = (buckets: Buckets, share: number): number | null => {
  let left = share * countIn(buckets);
  for (const [bucket, count] of [...buckets].toSorted(([one], [other]) => one - other)) {
    if (left <= count) return Math.round(secondsAt(bucket + left / count));
    left -= count;
  }
  return null;
};

/** The hours of the week in a zone. Those of a zone that is half an hour off begin at the hour before. */
function hoursOf(days: readonly ReportedDay[], zone: string): InboxReport['hours'] {
  const waits = new Map<number, number>();
  for (const { date, cells } of days)
    for (const [cell, count] of Object.entries(cells)) {
      if (!cell.startsWith('h')) continue;
      const wall = wallOf(zone, Date.parse(`${date}T00:00:00Z`) + Number(cell.slice(1)) * hourMs);
      // 1 January 1970 was a Thursday
      const hour = ((Math.floor(wall / dayMs) + 3) % 7) * 24 + Math.floor((wall % dayMs) / hourMs);
      waits.set(hour, (waits.get(hour) ?? 0) + count);
    }
  return [...waits]
    .toSorted(([one], [other]) => one - other)
    .map(([hour, count]) => ({ weekday: Math.floor(hour / 24) + 1, hour: hour % 24, waits: count }));
}
