import * as z from 'zod';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Page } from '../../../shared/http/reply.ts';
import { decodeCursor, encodeCursor } from '../../../shared/table/cursor.ts';
import type { ActivityRecord } from '../contract/lead.ts';
import { sortTimeline } from '../domain/activity.ts';
import { toActivityRecord } from '../domain/record.ts';
import { readUnits } from '../../../shared/table/read-units.ts';
import { maxWalkUnits, pageTooDeep } from '../../../shared/table/walk.ts';
import type { Activity } from '../contract/stored-activity.ts';
import { activitiesNewestFirst, getStoredLead } from '../store/lead.ts';
import { listNotesOfLead } from '../store/note.ts';
import { listTasksOfLead } from '../store/task.ts';
import { getUserNames } from '../../account/service/user-names.ts';

/** The newest notes, whose entries the change stream may not have copied yet. */
const recentNotesCount = 10;

const position = z.object({ k: z.string(), total: z.int().nonnegative().optional() });

/**
 * GET /leads/{id}/activities: the copied timeline entries merged with those still in the records that made them. A call reads a thousand
 * units at most; where that is not all, the total counts what was read and the cursor continues.
 */
export const listLeadActivities = async (
  companyId: number,
  leadId: number,
  { page, limit, cursor }: { page: number; limit: number; cursor: string | undefined },
): Promise<Page<ActivityRecord> | Problem<'not_found' | 'invalid_cursor' | 'validation_failed'>> => {
  const scope = `activities:${companyId}:${leadId}`;
  const after = cursor === undefined ? undefined : await decodeCursor(scope, cursor, position);
  if (cursor !== undefined && !after) return problem('invalid_cursor');
  const [lead, { copied, isCut }, tasks, notes] = await Promise.all([
    getStoredLead(companyId, leadId, { consistent: true }),
    readCopied(companyId, leadId, after?.total === undefined ? undefined : after.k),
    listTasksOfLead(companyId, leadId),
    listNotesOfLead(companyId, leadId, undefined, recentNotesCount),
  ]);
  if (!lead) return problem('not_found');
  const oldest = isCut ? (copied.at(-1)?.k ?? '') : '';
  const recent = [...lead.log, ...tasks.flatMap(({ log }) => log), ...notes.flatMap(({ log }) => log)];
  const entries = sortTimeline([...copied, ...recent.filter(({ k }) => k >= oldest)]);
  const skip = after ? 0 : (page - 1) * limit;
  if (isCut && skip >= entries.length) return invalid('page', pageTooDeep(entries.length));
  const rest = after ? entries.filter(({ k }) => k < after.k) : entries.slice(skip);
  const shown = rest.slice(0, limit);
  const people = await getUserNames(
    companyId,
    shown.map(({ by }) => by),
  );
  const total = after?.total ?? entries.length;
  const last = rest.length > limit || isCut ? shown.at(-1) : undefined;
  return {
    items: shown.map((entry) => toActivityRecord(entry, people)),
    total,
    page,
    limit,
    nextCursor: last && (await encodeCursor(scope, { k: last.k, total })),
    isPartial: isCut,
  };
};

async function readCopied(companyId: number, leadId: number, before: string | undefined): Promise<{ copied: Activity[]; isCut: boolean }> {
  const copied: Activity[] = [];
  const unitsBefore = readUnits();
  for await (const { entry } of activitiesNewestFirst(companyId, leadId, before)) {
    copied.push(entry);
    if (readUnits() - unitsBefore >= maxWalkUnits) return { copied, isCut: true };
  }
  return { copied, isCut: false };
}
