import { type ErasureSlice, type ErasureSubject, phonesOf, sliceOf } from '../../../shared/contract/erasure.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { canonicalPhone } from '../../contacts/contract/phone.ts';
import type { Lead } from '../contract/stored-lead.ts';
import type { Task } from '../contract/stored-task.ts';
import { erasedLead, erasedPreference, erasedTask, erasedTitle, isErasedLead } from '../domain/erasure.ts';
import { deleteLeadActivity, getStoredLead, activitiesNewestFirst, listLeadIdsOfContact, updateStoredLead } from '../store/lead.ts';
import { deleteErasedNote, listNotesOfLead } from '../store/note.ts';
import { listPreferences, updatePreference } from '../store/preference.ts';
import { listTasksOfLead, updateStoredTask } from '../store/task.ts';
import { maxWriteAttempts } from './assignees.ts';

/** The leads of an erased contact, one a slice: they stay for reports, without any text. */
export const leadsToErase = async ({ companyId, contactId }: ErasureSubject, cursor: string | undefined): Promise<ErasureSlice> => {
  const ids = (await listLeadIdsOfContact(companyId, contactId)).filter((id) => id > Number(cursor ?? 0));
  const [id] = ids;
  if (id === undefined) return sliceOf([]);
  const next = ids.length > 1 ? String(id) : undefined;
  return sliceOf((await hasTexts(companyId, id)) ? [() => eraseLead(companyId, id)] : [], next);
};

export const preferencesToErase = async (subject: ErasureSubject): Promise<(() => Promise<unknown>)[]> => {
  const { companyId, contactId } = subject;
  const phones = new Set(phonesOf(subject).map(canonicalPhone));
  const isOfContact = (workNumber: string | undefined): boolean => workNumber !== undefined && phones.has(canonicalPhone(workNumber));
  const preferences = await listPreferences(companyId);
  return preferences
    .filter((preference) => preference.contactId === contactId || isOfContact(preference.workNumber))
    .map((preference) => () => updatePreference(erasedPreference(preference, now())));
};

async function hasTexts(companyId: number, leadId: number): Promise<boolean> {
  const lead = await getStoredLead(companyId, leadId, { consistent: true, orDeleted: true });
  if (!lead) return false;
  if (!isErasedLead(lead)) return true;
  for await (const _ of activitiesNewestFirst(companyId, leadId)) return true;
  return (await listNotesOfLead(companyId, leadId, undefined, 1)).length > 0;
}

/** The lead last: as long as it has a text, a repetition finds all the rest. */
async function eraseLead(companyId: number, leadId: number): Promise<void> {
  for (const task of await listTasksOfLead(companyId, leadId)) if (task.title !== erasedTitle) await eraseTask(task);
  for (const { id } of await listNotesOfLead(companyId, leadId, undefined, Number.MAX_SAFE_INTEGER))
    await deleteErasedNote(companyId, leadId, id);
  for await (const { entry } of activitiesNewestFirst(companyId, leadId)) await deleteLeadActivity(companyId, leadId, entry.k);
  const lead = await getStoredLead(companyId, leadId, { consistent: true, orDeleted: true });
  if (lead && !isErasedLead(lead)) await writeErased(lead);
}

async function eraseTask(task: Task): Promise<void> {
  let seen: Task | undefined = task;
  await retryOnConflict(maxWriteAttempts, async () => {
    if (!seen) return;
    const written = await updateStoredTask(erasedTask(seen, now()));
    if (written.done) return;
    seen = written.current;
    return conflict;
  });
}

async function writeErased(lead: Lead): Promise<void> {
  let seen: Lead | undefined = lead;
  await retryOnConflict(maxWriteAttempts, async () => {
    if (!seen) return;
    if ((await updateStoredLead(erasedLead(seen))).done) return;
    seen = await getStoredLead(lead.companyId, lead.id, { consistent: true, orDeleted: true });
    return conflict;
  });
}
