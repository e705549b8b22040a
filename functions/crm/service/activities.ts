import * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import type { ActivityRecord } from '../contract/lead.ts';
import { sortTimeline } from '../domain/activity.ts';
import { toActivityRecord } from '../domain/record.ts';
import { getStoredLead, listActivities } from '../store/lead.ts';
import { listNotesOfLead } from '../store/note.ts';
import { listTasksOfLead } from '../store/task.ts';
import { getUserNames } from './assignees.ts';

/** The newest notes, whose entries the change stream may not have copied yet. */
const recentNotesCount = 10;

/** GET /leads/{id}/activities: the copied timeline entries merged with those still in the records that made them. */
export const listLeadActivities = async (
  companyId: number,
  leadId: number,
  { page, limit, cursor }: { page: number; limit: number; cursor: string | undefined },
): Promise<Page<ActivityRecord> | Problem<'not_found' | 'invalid_cursor'>> => {
  const scope = `activities:${companyId}:${leadId}`;
  const after = cursor === undefined ? undefined : await decodeCursor(scope, cursor, z.object({ k: z.string() }));
  if (cursor !== undefined && !after) return problem('invalid_cursor');
  const [lead, copied, tasks, notes] = await Promise.all([
    getStoredLead(companyId, leadId, { consistent: true }),
    listActivities(companyId, leadId),
    listTasksOfLead(companyId, leadId),
    listNotesOfLead(companyId, leadId, undefined, recentNotesCount),
  ]);
  if (!lead) return problem('not_found');
  const entries = sortTimeline([...copied, ...lead.log, ...tasks.flatMap(({ log }) => log), ...notes.flatMap(({ log }) => log)]);
  const rest = after ? entries.filter(({ k }) => k < after.k) : entries.slice((page - 1) * limit);
  const shown = rest.slice(0, limit);
  const people = await getUserNames(
    companyId,
    shown.map(({ by }) => by),
  );
  const last = rest.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map((entry) => toActivityRecord(entry, people)),
    total: entries.length,
    page,
    limit,
    nextCursor: last && (await encodeCursor(scope, { k: last.k })),
  };
};
