import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { ErasureSubject } from '../../../shared/contract/erasure.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { seal, unseal } from '../../../shared/runtime/seal.ts';
import { subjectsOfContact } from '../../contacts/service/erase-contact.ts';
import type { ErasureCause, ErasureRecord, StoredErasure } from '../contract/erasure.ts';
import { createStoredErasure, getStoredErasure } from '../store.ts';

/**
 * Starts the erasure of a contact, live or deleted, and of those that were merged into it; one that was started before is returned as it is. The
 * change stream enqueues the work.
 */
export const eraseContact = async (
  companyId: number,
  contactId: number,
  by: { cause: ErasureCause; userId?: number },
): Promise<ErasureRecord | Problem<'not_found'>> => {
  const seen = await getStoredErasure(companyId, contactId);
  if (seen) return toErasureRecord(seen);
  const subjects = await subjectsOfContact(companyId, contactId);
  if (isProblem(subjects)) return subjects;
  const [subject, ...merged] = subjects;
  // the contact last: with it, the call is done
  for (const each of merged) await startErasure(each, by);
  return toErasureRecord(await startErasure(subject, by));
};

export const getErasure = async (companyId: number, contactId: number): Promise<ErasureRecord | Problem<'not_found'>> => {
  const erasure = await getStoredErasure(companyId, contactId);
  return erasure ? toErasureRecord(erasure) : problem('not_found');
};

/** Creates the job. The erasure of a contact that is being erased stays as it is. */
export const startErasure = async (
  subject: ErasureSubject,
  { cause, userId }: { cause: ErasureCause; userId?: number },
): Promise<StoredErasure> => {
  const { companyId, contactId } = subject;
  const erasure: StoredErasure = {
    companyId,
    contactId,
    rev: 1,
    cause,
    ...(userId === undefined ? {} : { requestedBy: userId }),
    sealedSubject: await seal(JSON.stringify(subject), sealingContext(subject)),
    pass: 1,
    turn: 1,
    removed: {},
    requestedAt: now(),
  };
  const created = await createStoredErasure(erasure);
  return created.done ? created.item : (created.current ?? erasure);
};

export const subjectOf = async ({ companyId, contactId, sealedSubject }: StoredErasure): Promise<ErasureSubject> => {
  const plain = sealedSubject === undefined ? '{}' : await unseal(sealedSubject, sealingContext({ companyId, contactId }));
  return { ...(JSON.parse(plain) as Partial<ErasureSubject>), companyId, contactId };
};

const sealingContext = ({ companyId, contactId }: Pick<ErasureSubject, 'companyId' | 'contactId'>): string =>
  `erasure:${companyId}:${contactId}`;

const toErasureRecord = ({ contactId, finishedAt, checkedAt, cause, requestedBy, removed, requestedAt }: StoredErasure): ErasureRecord => ({
  contact_id: contactId,
  status: finishedAt === undefined ? 'running' : 'done',
  cause,
  requested_by: requestedBy ?? null,
  removed,
  requested_at: isoTime(requestedAt),
  finished_at: finishedAt === undefined ? null : isoTime(finishedAt),
  checked_at: checkedAt === undefined ? null : isoTime(checkedAt),
});
