import { minuteMs } from '../../../shared/runtime/clock.ts';
import { isDomainWithin } from './identifier.ts';
import type { Settings } from './settings.ts';

/** What the provider says of a token that it accepted. */
export interface CaptchaAnswer {
  hostname?: string | undefined;
  action?: string | undefined;
  /** When the CAPTCHA was solved, ISO 8601. */
  challenge_ts?: string | undefined;
}

/** The providers' own limit is two to five minutes. */
const maxAgeMs = 5 * minuteMs;

/** Whether the answer is for the profile's site and form, and recent: otherwise it may have been bought or replayed. */
export const isExpectedAnswer = (
  { hostname = '', action: given = '', challenge_ts: solvedAt }: CaptchaAnswer,
  { hostnames, action }: Pick<Settings['captcha'], 'hostnames' | 'action'>,
  at: number,
): boolean =>
  (hostnames.length === 0 || isDomainWithin(hostname.toLowerCase(), hostnames)) &&
  (action === '' || given === action) &&
  (solvedAt === undefined || at - Date.parse(solvedAt) <= maxAgeMs);
