import { randomInt } from 'node:crypto';
import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../shared/runtime/clock.ts';
import { getActiveNumber } from '../../account/service/numbers.ts';
import { readCompanyPhone } from '../../contacts/service/phones.ts';
import type { EnrolledRecord, PreferenceBody, PreferenceRecord } from '../contract/preference.ts';
import { codeDigits, codeLifeMs, decideEnrolment, type Preference, verificationStatus } from '../domain/preference.ts';
import { getPreference, updatePreference } from '../store/preference.ts';
import { hashStaffCode } from './confirm-work-number.ts';

export const getPreferences = async (companyId: number, userId: number): Promise<PreferenceRecord> =>
  toPreferenceRecord(await getPreference(companyId, userId));

/** PUT: replaces all preferences. A new or unverified work number gets a code, which only this response shows. */
export const replacePreferences = async (
  companyId: number,
  userId: number,
  body: PreferenceBody,
): Promise<EnrolledRecord | Problem<'validation_failed' | 'number_missing' | 'enrolment_cooldown' | 'conflict'>> => {
  const phone = body.work_number ? await readCompanyPhone(companyId, body.work_number) : undefined;
  if (phone && !phone.ok) return invalid('work_number', phone.reason);
  const input = { workNumber: phone?.ok ? phone.digits : undefined, optedIn: body.opted_in, notifyTasks: body.notify_tasks };
  const stored = await getPreference(companyId, userId);
  const at = now();
  const decision = decideEnrolment(stored, input, at);
  if (decision.act === 'wait')
    return problem('enrolment_cooldown', {
      retryAfterSeconds: Math.ceil(decision.forMs / 1_000),
      details: { scope: 'work number enrolment' },
    });
  const isRetained = decision.act === 'retain';
  const next: Preference = {
    companyId,
    userId,
    rev: (stored?.rev ?? 0) + 1,
    ...input,
    verifiedAt: isRetained ? stored?.verifiedAt : undefined,
    contactId: isRetained ? stored?.contactId : undefined,
    // after a number is removed its enrolment stays for the cooldown: its code verifies no other number
    enrolment: stored?.enrolment,
    updatedAt: at,
  };
  if (decision.act !== 'enrol') return (await updatePreference(next)) ? toPreferenceRecord(next) : problem('conflict');
  return enrol(next, at);
};

/** Enrols the work number with a new code. */
async function enrol(
  preference: Preference,
  at: number,
): Promise<EnrolledRecord | Problem<'validation_failed' | 'number_missing' | 'conflict'>> {
  const number = await getActiveNumber(preference.companyId);
  if (!number) return problem('number_missing');
  if (number.phone === preference.workNumber) return invalid('work_number', 'Must not be the business number itself.');
  const code = String(randomInt(10 ** codeDigits)).padStart(codeDigits, '0');
  const expiresAt = at + codeLifeMs;
  const enrolment = { codeHash: await hashStaffCode(preference, code), enrolledAt: at, expiresAt, wrongMessages: [] };
  const next = { ...preference, enrolment };
  if (!(await updatePreference(next))) return problem('conflict');
  return {
    ...toPreferenceRecord(next),
    verification: { code, expires_at: isoTime(expiresAt), send_to: number.phone, wa_link: `https://wa.me/${number.phone}?text=${code}` },
  };
}

const toPreferenceRecord = (preference: Preference | undefined): PreferenceRecord => ({
  work_number: preference?.workNumber ?? null,
  verification_status: verificationStatus(preference, now()),
  verified_at: preference?.verifiedAt === undefined ? null : isoTime(preference.verifiedAt),
  opted_in: preference?.optedIn ?? false,
  notify_tasks: preference?.notifyTasks ?? false,
});
