import { withoutOthers } from '../../../shared/table/other-versions.ts';
import type { Lead } from '../contract/stored-lead.ts';
import type { Task } from '../contract/stored-task.ts';
import type { Preference } from './preference.ts';

/** What stays of a lead whose contact was erased: numbers, stages and times, so that reports of the past do not change. */
export const erasedTitle = 'Erased';

export const isErasedLead = (lead: Lead): boolean =>
  lead.title === erasedTitle && lead.contactText === '' && lead.noteCount === 0 && lead.pending.length === 0 && lead.log.length === 0;

/** Without texts, notes, pending tasks, and whatever other versions stored. */
export const erasedLead = (lead: Lead): Lead => ({
  ...withoutOthers(lead),
  rev: lead.rev + 1,
  version: lead.version + 1,
  title: erasedTitle,
  requirement: undefined,
  lostReason: undefined,
  contactText: '',
  pending: [],
  nextTitle: undefined,
  noteCount: 0,
  log: [],
});

/** A pending task is cancelled: nothing is left to do. */
export const erasedTask = (task: Task, at: number): Task => ({
  ...withoutOthers(task),
  rev: task.rev + 1,
  version: task.version + 1,
  title: erasedTitle,
  ...(task.status === 'pending' ? { status: 'cancelled', closedAt: at } : {}),
  outcomeNotes: undefined,
  cancellationReason: undefined,
  remindAt: undefined,
  log: [],
});

/** A team member whose own contact was erased has no work number any more. */
export const erasedPreference = (preference: Preference, at: number): Preference => ({
  ...withoutOthers(preference),
  rev: preference.rev + 1,
  workNumber: undefined,
  verifiedAt: undefined,
  contactId: undefined,
  optedIn: false,
  notifyTasks: false,
  enrolment: undefined,
  updatedAt: at,
});
