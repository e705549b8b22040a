import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import type { ActivityRecord } from '../contract/lead.ts';
import { timeline } from '../domain/activity.ts';
import { activityRecord } from '../domain/record.ts';
import { findActivities, findLead } from '../store/lead.ts';
import { notesOfLead } from '../store/note.ts';
import { tasksOfLead } from '../store/task.ts';
import { namesOf } from './people.ts';

/** So many of the newest notes may not have been written out by the change stream yet. */
const youngNotes = 10;

/**
 * GET /leads/{id}/activities (A62). Entries that the change stream has written out, together with those that still lie in the records
 * that made them: what was done a moment ago is there.
 */
export const listActivities = async (
  companyId: number,
  leadId: number,
  { page, limit, cursor }: { page: number; limit: number; cursor: string | undefined },
): Promise<Page<ActivityRecord> | Problem<'not_found' | 'invalid_cursor'>> => {
  const scope = `activities:${companyId}:${leadId}`;
  const after = cursor === undefined ? undefined : decodeCursor(scope, cursor, z.object({ k: z.string() }));
  if (cursor !== undefined && !after) return problem('invalid_cursor');
  const [lead, written, tasks, notes] = await Promise.all([
    findLead(companyId, leadId, { consistent: true }),
    findActivities(companyId, leadId),
    tasksOfLead(companyId, leadId),
    notesOfLead(companyId, leadId, undefined, youngNotes),
  ]);
  if (!lead) return problem('not_found');
  const entries = timeline([...written, ...lead.log, ...tasks.flatMap(({ log }) => log), ...notes.flatMap(({ log }) => log)]);
  const rest = after ? entries.filter(({ k }) => k < after.k) : entries.slice((page - 1) * limit);
  const shown = rest.slice(0, limit);
  const people = await namesOf(
    companyId,
    shown.map(({ by }) => by),
  );
  const last = rest.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map((entry) => activityRecord(entry, people)),
    total: entries.length,
    page,
    limit,
    nextCursor: last && encodeCursor(scope, { k: last.k }),
  };
};
