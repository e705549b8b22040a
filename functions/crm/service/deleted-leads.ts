import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { LeadRecord } from '../contract/lead.ts';
import { deletedLead, restoredLead } from '../domain/lead.ts';
import { getStoredLead, updateStoredLead } from '../store/lead.ts';
import { maxWriteAttempts } from './assignees.ts';
import { buildLeadRecord } from './leads.ts';
import { cancelTaskOfDeleted } from './tasks.ts';

/** DELETE /leads/{id}: cancels its pending tasks, so that none is reminded of, then hides the lead from lists and reports. */
export const deleteLead = (companyId: number, userId: number, id: number): Promise<{ id: number } | Problem<'not_found'>> =>
  retryOnConflict<{ id: number } | Problem<'not_found'>>(maxWriteAttempts, async () => {
    const lead = await getStoredLead(companyId, id, { consistent: true });
    if (!lead) return problem('not_found');
    if (lead.pending.length > 0) {
      for (const [, taskId] of lead.pending) await cancelTaskOfDeleted(companyId, userId, id, taskId);
      return conflict;
    }
    return (await updateStoredLead(deletedLead(lead, userId, now()))).done ? { id } : conflict;
  });

/** POST /leads/{id}/restore: the lead in the stage where it was, without the tasks that its deletion cancelled. */
export const restoreLead = (companyId: number, userId: number, id: number): Promise<LeadRecord | Problem<'not_found'>> =>
  retryOnConflict<LeadRecord | Problem<'not_found'>>(maxWriteAttempts, async () => {
    const lead = await getStoredLead(companyId, id, { consistent: true, orDeleted: true });
    if (!lead) return problem('not_found');
    if (lead.deletedAt === undefined) return buildLeadRecord(companyId, lead);
    const next = restoredLead(lead, userId, now());
    return (await updateStoredLead(next)).done ? buildLeadRecord(companyId, next) : conflict;
  });
