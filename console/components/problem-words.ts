import { type ProblemCode, SwitchboardProblem } from '../../client/client.ts';
import type { problemsText } from '../text/problems.ts';
import type { TextOf } from '../text/text.ts';

type Text = TextOf<typeof problemsText>;

/** What went wrong, and what to do about it. */
export interface ProblemWords {
  title: string;
  advice?: string | undefined;
}

/** Where no answer came: the network, or a time that ran out. */
export const isLostConnection = (error: unknown): boolean =>
  (error instanceof TypeError && /fetch|network|load/i.test(error.message)) ||
  (error instanceof DOMException && (error.name === 'TimeoutError' || error.name === 'NetworkError'));

/** A failure in plain words. What the API says of it stands in the details. */
export const wordsOf = (error: unknown, text: Text): ProblemWords => {
  if (error instanceof SwitchboardProblem) return ofCode(error, text) ?? ofStatus(error, text);
  if (isLostConnection(error)) return { title: text.offline, advice: text.offlineFix };
  return { title: text.failed };
};

/** One entry for codes that a user does the same about. */
const ofCode = ({ code, details }: SwitchboardProblem, text: Text): ProblemWords | undefined => {
  const { fix } = details;
  const same = (title: string, advice?: string, ...codes: ProblemCode[]): readonly [readonly string[], ProblemWords] => [
    codes,
    { title, advice },
  ];
  return [
    same(text.invalid, undefined, 'validation_failed', 'unknown_field'),
    same(text.gone, text.goneFix, 'not_found', 'profile_not_found', 'order_not_found'),
    same(text.role, text.roleFix, 'role_required', 'insufficient_scope'),
    same(text.planLimit, text.planLimitFix, 'plan_limit_reached'),
    same(text.signedOut, text.signedOutFix, 'token_missing', 'cross_origin_request'),
    same(text.token, text.tokenFix, 'token_invalid', 'token_expired', 'token_revoked'),
    same(text.code, text.codeFix, 'code_invalid'),
    same(text.codes, text.codesFix, 'too_many_attempts', 'expired'),
    same(text.passkey, text.passkeyFix, 'passkey_invalid'),
    same(text.proof, text.proofFix, 'fresh_proof_required'),
    same(text.often, text.oftenFix, 'rate_limited', 'enrolment_cooldown', 'otp_bombing', 'resend_cooldown', 'check_phone_quota'),
    same(text.changed, text.changedFix, 'version_conflict', 'conflict'),
    same(text.busy, text.busyFix, 'idempotency_in_progress', 'temporarily_unavailable'),
    same(text.window, text.windowFix, 'window_closed'),
    same(text.template, text.templateFix, 'template_not_found', 'template_not_approved'),
    same(text.optedOut, text.optedOutFix, 'recipient_opted_out'),
    same(text.blocked, text.blockedFix, 'recipient_blocked'),
    same(text.notRecent, text.notRecentFix, 'contact_not_recent'),
    same(text.noNumber, text.noNumberFix, 'number_missing'),
    same(text.provider, typeof fix === 'string' ? fix : text.refusedFix, 'provider_rejected'),
    same(text.scheduled, text.scheduledFix, 'message_not_scheduled'),
    same(text.owner, text.ownerFix, 'last_owner'),
    same(text.webhookOff, text.webhookOffFix, 'webhook_disabled'),
    same(text.large, text.largeFix, 'payload_too_large'),
    same(text.network, text.roleFix, 'ip_not_allowed'),
    same(text.suspended, text.suspendedFix, 'company_suspended'),
  ].find(([codes]) => codes.includes(code))?.[1];
};

const ofStatus = ({ status, errors }: SwitchboardProblem, text: Text): ProblemWords => {
  if (status >= 500) return { title: text.ours, advice: text.oursFix };
  if (status === 429) return { title: text.often, advice: text.oftenFix };
  return Object.keys(errors).length > 0 ? { title: text.invalid } : { title: text.refused, advice: text.refusedFix };
};

/** Why a field was refused, in words of the reader; a reason that is not known here stays as the API says it. */
export const reasonOf = (reason: string, text: Text): string => {
  for (const [pattern, words] of reasons(text)) {
    const found = pattern.exec(reason);
    if (found) return typeof words === 'string' ? words : words(found[1] ?? '', found[2] ?? '');
  }
  return reason;
};

const reasons = (text: Text): readonly (readonly [RegExp, string | ((one: string, other: string) => string)])[] => [
  [/^(Required\.|Must not be empty\.|Must be a text\.)$/, text.needed],
  [/^Must be one of /, text.choose],
  [/^Must be an? (?:https? )?URL|^Must be an https URL/, text.address],
  [/^Must be an email address/, text.emailAddress],
  [/^Must be (?:a whole number from )?(-?[\d,]+) to ([\d,]+)\.$/, text.range],
  [/^Must be a (?:positive )?(?:whole )?number/, text.wholeNumber],
  [/^Must be at most ([\d,]+)/, text.atMost],
  [/^Must be at least ([\d,]+)/, text.atLeast],
  [/^Must have at most ([\d,]+) characters/, text.charactersAtMost],
  [/^Must have at least ([\d,]+) characters/, text.charactersAtLeast],
  [/^Must be a phone number|phone number.*(?:country|valid)/i, text.phone],
  [/^Another user of this company has this email/, text.emailTaken],
  [/^Another contact has this phone/, text.phoneTaken],
];
