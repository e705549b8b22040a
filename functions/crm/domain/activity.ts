import { messageId } from '../../../shared/runtime/ids.ts';
import { sortable } from '../../../shared/table/schema.ts';
import type { Activity } from '../contract/stored.ts';

/**
 * The timeline (A62). Every write of a lead, a task or a note carries its own entry, made here, in the item itself: so it cannot be lost
 * and is there at once. The change stream writes it out as an item of its own; the reader puts both together by the key.
 */
export type ActivityType =
  | 'lead.created'
  | 'lead.updated'
  | 'stage.changed'
  | 'owner.changed'
  | 'note.added'
  | 'message.linked'
  | 'task.created'
  | 'task.updated'
  | 'task.completed'
  | 'task.cancelled';

/** `source` names the change within its time: the record and its version. The same change always makes the same entry. */
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

/** How long an entry stays with its item: far longer than the change stream takes to write it out. */
const retentionMs = 60_000;
const maxRetained = 6;

export const appendActivities = (log: readonly Activity[], entries: readonly Activity[], at: number): Activity[] => [
  ...log.filter((entry) => activityAt(entry) > at - retentionMs).slice(-maxRetained),
  ...entries,
];

/** Entries that `after` has and `before` had not. */
export const newEntries = (before: readonly Activity[] | undefined, after: readonly Activity[]): Activity[] =>
  after.filter((entry) => !before?.some((old) => old.k === entry.k));

/** Newest first, each once. */
export const sortTimeline = (entries: readonly Activity[]): Activity[] =>
  [...new Map(entries.map((entry) => [entry.k, entry])).values()].sort((a, b) => (a.k < b.k ? 1 : -1));

/** A time after `before` even within one millisecond, so that changes of one record never share theirs. */
export const laterThan = (before: number, now: number): number => Math.max(now, before + 1);
