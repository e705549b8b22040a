import { randomInt } from 'node:crypto';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { getActiveNumber } from '../../account/service/numbers.ts';
import { normalizePhone } from '../../contacts/contract/phone.ts';
import type { EnrolledRecord, PreferenceBody, PreferenceRecord } from '../contract/preference.ts';
import { codeDigits, codeLifeMs, type Preference, verificationStatus, decideEnrolment } from '../domain/preference.ts';
import { getPreference, updatePreference } from '../store/preference.ts';
import { hashStaffCode } from './confirm-work-number.ts';

export const getPreferences = async (companyId: number, userId: number): Promise<PreferenceRecord> =>
  recordOf(await getPreference(companyId, userId));

/** PUT (A69): the whole preference. A new number, or one that is not verified, gets a code, shown in this answer alone. */
export const replacePreferences = async (
  companyId: number,
  userId: number,
  body: PreferenceBody,
): Promise<EnrolledRecord | Problem<'validation_failed' | 'number_missing' | 'enrolment_cooldown' | 'conflict'>> => {
  const phone = body.work_number ? normalizePhone(body.work_number) : undefined;
  if (phone && !phone.ok) return invalid('work_number', 'Must be a phone number with country code, 8 to 15 digits.');
  const wanted = { workNumber: phone?.ok ? phone.digits : undefined, optedIn: body.opted_in, notifyTasks: body.notify_tasks };
  const held = await getPreference(companyId, userId);
  const at = now();
  const act = decideEnrolment(held, wanted, at);
  if (act.act === 'wait')
    return problem('enrolment_cooldown', { retryAfterSeconds: Math.ceil(act.forMs / 1_000), details: { scope: 'work number enrolment' } });
  const next: Preference = {
    companyId,
    userId,
    rev: (held?.rev ?? 0) + 1,
    ...wanted,
    verifiedAt: act.act === 'keep' ? held?.verifiedAt : undefined,
    contactId: act.act === 'keep' ? held?.contactId : undefined,
    // a dropped number's enrolment stays for the cooldown alone: its code fits no number any more
    enrolment: held?.enrolment,
    updatedAt: at,
  };
  if (act.act !== 'enrol') return (await updatePreference(next)) ? recordOf(next) : problem('conflict');
  const number = await getActiveNumber(companyId);
  if (!number) return problem('number_missing');
  if (number.phone === next.workNumber) return invalid('work_number', 'Is the business number itself.');
  const code = String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0');
  const expiresAt = at + codeLifeMs;
  next.enrolment = { codeHash: await hashStaffCode(next, code), enrolledAt: at, expiresAt, wrongMessages: [] };
  if (!(await updatePreference(next))) return problem('conflict');
  return {
    ...recordOf(next),
    verification: { code, expires_at: isoTime(expiresAt), send_to: number.phone, wa_link: `https://wa.me/${number.phone}?text=${code}` },
  };
};

const recordOf = (preference: Preference | undefined): PreferenceRecord => ({
  work_number: preference?.workNumber ?? null,
  verification_status: verificationStatus(preference, now()),
  verified_at: preference?.verifiedAt === undefined ? null : isoTime(preference.verifiedAt),
  opted_in: preference?.optedIn ?? false,
  notify_tasks: preference?.notifyTasks ?? false,
});
