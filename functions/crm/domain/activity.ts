import { messageId } from '../../../shared/runtime/ids.ts';
import { sortable } from '../../../shared/table/schema.ts';
import type { Activity } from '../contract/stored-activity.ts';

/**
 * The timeline of a lead. Every write of a lead, a task or a note stores its entry in the changed item, so that it cannot be lost and is
 * visible at once. A projection copies it to an item of its own; reading merges both by the key.
 */
export type ActivityType =
  | 'lead.created'
  | 'lead.updated'
  | 'lead.deleted'
  | 'lead.restored'
  | 'stage.changed'
  | 'owner.changed'
  | 'note.added'
  | 'note.updated'
  | 'note.deleted'
  | 'message.linked'
  | 'task.created'
  | 'task.updated'
  | 'task.completed'
  | 'task.cancelled';

/** A timeline entry. `source` identifies the change within its time, so that a repeated change creates the same entry. */
export const newActivity = (
  type: ActivityType,
  by: number,
  at: number,
  source: { leadId: number; record: string; version: number },
  data: Record<string, unknown>,
): Activity => {
  const k = `${sortable(at)}#${source.record}#${String(source.version).padStart(6, '0')}`;
  return { k, i: messageId(at, `${source.leadId}:${k}`), t: type, by, d: data };
};

/** Epoch milliseconds of an entry. */
export const activityAt = ({ k }: Activity): number => Number(k.slice(0, 16));

/** How long an entry stays in its item: far longer than the change stream takes to copy it. */
const retentionMs = 60_000;
const maxRetained = 6;

export const appendActivities = (log: readonly Activity[], entries: readonly Activity[], at: number): Activity[] => [
  ...log.filter((entry) => activityAt(entry) > at - retentionMs).slice(-maxRetained),
  ...entries,
];

/** Entries of `after` that `before` does not have. */
export const newEntries = (before: readonly Activity[] | undefined, after: readonly Activity[]): Activity[] =>
  after.filter((entry) => !before?.some((old) => old.k === entry.k));

/** Sorted newest first, without duplicates. */
export const sortTimeline = (entries: readonly Activity[]): Activity[] =>
  [...new Map(entries.map((entry) => [entry.k, entry])).values()].sort((a, b) => (a.k < b.k ? 1 : -1));

/** The current time, but later than `before`, so that two changes of a record never share a time. */
export const laterThan = (before: number, now: number): number => Math.max(now, before + 1);
