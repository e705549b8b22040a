import * as z from 'zod';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { listPage, type Page, type PageQuery } from '../../../shared/table/page.ts';
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
export const listLeadActivities = (
  companyId: number,
  leadId: number,
  query: PageQuery,
): Promise<Page<ActivityRecord> | Problem<'not_found' | 'invalid_cursor' | 'validation_failed'>> =>
  listPage({ scope: `activities:${companyId}:${leadId}`, query, position }, async ({ after, skip, limit }) => {
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
    if (isCut && skip >= entries.length) return invalid('page', pageTooDeep(entries.length));
    const rest = after ? entries.filter(({ k }) => k < after.k) : entries.slice(skip);
    const shown = rest.slice(0, limit);
    const userIds = shown.map(({ by }) => by);
    const people = await getUserNames(companyId, userIds);
    const total = after?.total ?? entries.length;
    const last = rest.length > limit || isCut ? shown.at(-1) : undefined;
    return {
      items: shown.map((entry) => toActivityRecord(entry, people)),
      total,
      next: last && { k: last.k, total },
      isPartial: isCut,
    };
  });

async function readCopied(companyId: number, leadId: number, before: string | undefined): Promise<{ copied: Activity[]; isCut: boolean }> {
  const copied: Activity[] = [];
  const unitsBefore = readUnits();
  for await (const { entry } of activitiesNewestFirst(companyId, leadId, before)) {
    copied.push(entry);
    if (readUnits() - unitsBefore >= maxWalkUnits) return { copied, isCut: true };
  }
  return { copied, isCut: false };
}
