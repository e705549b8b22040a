/** A team member's notifications (A69). Times are epoch milliseconds. */
export interface Preference {
  companyId: number;
  userId: number;
  rev: number;
  workNumber: string | undefined;
  verifiedAt: number | undefined;
  /** The contact that the verified number writes as. */
  contactId: number | undefined;
  optedIn: boolean;
  notifyTasks: boolean;
  enrolment: Enrolment | undefined;
  updatedAt: number;
}

/** A number that waits for its code. Only the code's keyed hash is kept. */
export interface Enrolment {
  codeHash: string;
  enrolledAt: number;
  expiresAt: number;
  /** Messages that had a wrong code, so that one delivered twice counts once. */
  wrongMessages: readonly number[];
}

export const codeDigits = 8;
export const codeLifeMs = 10 * 60_000;
export const enrolCooldownMs = 60_000;
export const maxWrongCodes = 5;

/** What may be a code: eight digits and nothing else. */
export const looksLikeCode = (text: string): boolean => /^\s*[0-9]{8}\s*$/.test(text);

export const verificationStatus = (preference: Preference | undefined, now: number): 'none' | 'pending' | 'verified' | 'expired' => {
  if (!preference?.workNumber) return 'none';
  if (preference.verifiedAt !== undefined) return 'verified';
  return preference.enrolment && preference.enrolment.expiresAt > now && preference.enrolment.wrongMessages.length < maxWrongCodes
    ? 'pending'
    : 'expired';
};

/** Whether task reminders go to this person: to a verified number, opted in, asked for (A67). */
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
 * What a PUT does: `keep` the number as it stands, enrol it with a new code, or drop it. A pending number with other flags keeps its
 * code; given again unchanged it gets a new one. `wait`: milliseconds until a number may be enrolled again.
 */
export const decideEnrolment = (
  held: Preference | undefined,
  wanted: PreferenceInput,
  now: number,
): { act: 'keep' | 'enrol' | 'drop' } | { act: 'wait'; forMs: number } => {
  if (wanted.workNumber === undefined) return { act: 'drop' };
  const isSame = held?.workNumber === wanted.workNumber;
  const status = verificationStatus(held, now);
  const isFlagsOnly = held !== undefined && (held.optedIn !== wanted.optedIn || held.notifyTasks !== wanted.notifyTasks);
  if (isSame && (status === 'verified' || (status === 'pending' && isFlagsOnly))) return { act: 'keep' };
  const readyAt = (held?.enrolment?.enrolledAt ?? Number.NEGATIVE_INFINITY) + enrolCooldownMs;
  return readyAt > now ? { act: 'wait', forMs: readyAt - now } : { act: 'enrol' };
};

/** After a message with eight digits from the work number: verified, one more wrong code, or undefined when nothing waits for it. */
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
