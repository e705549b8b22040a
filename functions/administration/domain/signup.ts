/** Where a signup is. Each step leads to the next, and can be repeated. */
export const signupStatuses = ['started', 'authorised', 'account_known', 'registered', 'subscribed', 'connected', 'failed'] as const;
export type SignupStatus = (typeof signupStatuses)[number];

/** Why a signup ended without a number, with the sentence that the caller reads. */
export const signupFailures = {
  code_used: 'The code of the provider was used already: it is good once.',
  code_expired: 'The code of the provider came too late: it is good for about half a minute.',
  code_refused: 'The provider refused the code.',
  foreign_account: 'The sign-in at the provider does not include this account or number.',
  held_account: 'The account is connected to another company of this deployment: each account belongs to one company.',
  no_account: 'The sign-in at the provider includes no account, or several without saying which.',
  no_number: 'The account has no number yet: add one at the provider.',
  several_numbers: 'The account has several numbers, and the provider did not say which: choose one in its dialog.',
  signup_expired: 'The signup is older than ten minutes.',
  other_code: 'The signup has had another code: each signup takes one.',
} as const;
export type SignupFailure = keyof typeof signupFailures;
export const signupFailureNames = Object.keys(signupFailures) as [SignupFailure, ...SignupFailure[]];

/** How long the dialog may take, from the start of the signup to its code. */
export const signupLifeMs = 10 * 60_000;
/** How long one request has to itself to exchange the code: longer than its call of the provider. */
export const exchangeLeaseMs = 15_000;
/** How long the record stays, so that each step can be repeated. */
export const signupStoredMs = 24 * 3_600_000;

/** Six digits for two-step verification. `draw`: of 0 to 999999. */
export const pinOf = (draw: number): string => String(draw).padStart(6, '0');
