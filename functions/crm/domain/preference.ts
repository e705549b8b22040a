import { minuteMs } from '../../../shared/runtime/clock.ts';

/** A team member's notification preferences. Times are epoch milliseconds. */
export interface Preference {
  companyId: number;
  userId: number;
  rev: number;
  workNumber: string | undefined;
  verifiedAt: number | undefined;
  /** The contact of the verified number. */
  contactId: number | undefined;
  optedIn: boolean;
  notifyTasks: boolean;
  enrolment: Enrolment | undefined;
  updatedAt: number;
}

/** The enrolment of a work number that waits for its code. Only the code's keyed hash is stored. */
export interface Enrolment {
  codeHash: string;
  enrolledAt: number;
  expiresAt: number;
  /** Messages with a wrong code, so that a message that is delivered twice counts once. */
  wrongMessages: readonly number[];
}

export const codeDigits = 8;
export const codeLifeMs = 10 * minuteMs;
export const enrolCooldownMs = 60_000;
export const maxWrongCodes = 5;

/** Whether a message may be a code: eight digits and nothing else. */
export const looksLikeCode = (text: string): boolean => /^\s*[0-9]{8}\s*$/.test(text);

export const verificationStatus = (preference: Preference | undefined, now: number): 'none' | 'pending' | 'verified' | 'expired' => {
  if (!preference?.workNumber) return 'none';
  if (preference.verifiedAt !== undefined) return 'verified';
  return preference.enrolment && preference.enrolment.expiresAt > now && preference.enrolment.wrongMessages.length < maxWrongCodes
    ? 'pending'
    : 'expired';
};

/** Whether a team member receives task reminders: verified number, opted in, task notifications on. */
export const canBeReminded = (preference: Preference | undefined): preference is Preference & { workNumber: string; contactId: number } =>
  preference?.workNumber !== undefined &&
  preference.contactId !== undefined &&
  preference.verifiedAt !== undefined &&
  preference.optedIn &&
  preference.notifyTasks;

export interface PreferenceInput {
  workNumber: string | undefined;
  optedIn: boolean;
  notifyTasks: boolean;
}

/**
 * What a PUT does with the work number: `retain` it, `enrol` it with a new code, or `remove` it. A pending number with changed flags retains
 * its code; an unchanged PUT creates a new one. `wait`: milliseconds until a number can be enrolled again.
 */
export const decideEnrolment = (
  stored: Preference | undefined,
  input: PreferenceInput,
  now: number,
): { act: 'retain' | 'enrol' | 'remove' } | { act: 'wait'; forMs: number } => {
  if (input.workNumber === undefined) return { act: 'remove' };
  const isSame = stored?.workNumber === input.workNumber;
  const status = verificationStatus(stored, now);
  const isFlagsOnly = stored !== undefined && (stored.optedIn !== input.optedIn || stored.notifyTasks !== input.notifyTasks);
  if (isSame && (status === 'verified' || (status === 'pending' && isFlagsOnly))) return { act: 'retain' };
  const readyAt = (stored?.enrolment?.enrolledAt ?? Number.NEGATIVE_INFINITY) + enrolCooldownMs;
  return readyAt > now ? { act: 'wait', forMs: readyAt - now } : { act: 'enrol' };
};

/** Applies a code from the work number: verified, or one more wrong code; undefined when no enrolment waits for it. */
export const applyCodeAttempt = (
  preference: Preference,
  attempt: { messageId: number; contactId: number; sentAt: number; isRight: boolean },
  now: number,
): Preference | undefined => {
  const { enrolment } = preference;
  if (!enrolment || preference.verifiedAt !== undefined || verificationStatus(preference, Math.min(now, attempt.sentAt)) !== 'pending')
    return undefined;
  if (enrolment.wrongMessages.includes(attempt.messageId)) return undefined;
  const next = { ...preference, rev: preference.rev + 1, updatedAt: now };
  if (attempt.isRight) return { ...next, verifiedAt: now, contactId: attempt.contactId, enrolment: { ...enrolment, codeHash: '' } };
  return { ...next, enrolment: { ...enrolment, wrongMessages: [...enrolment.wrongMessages, attempt.messageId] } };
};
