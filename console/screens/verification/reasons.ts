import type { TextOf } from '../../text/text.ts';
import type { verificationText } from '../../text/verification.ts';

/** Why a request ended, in words; a reason of a later release stands as the API names it. */
export const reasonName = (text: TextOf<typeof verificationText>, reason: string): string => {
  const names: Readonly<Record<string, string>> = {
    attempts_exhausted: text.reasonAttempts,
    delivery_failed: text.reasonDelivery,
    disposable_email: text.reasonDisposable,
    domain_not_allowed: text.reasonDomain,
    country_not_allowed: text.reasonCountry,
    ip_not_allowed: text.reasonAddress,
    expired: text.expired,
    other: text.reasonOther,
  };
  return names[reason] ?? reason;
};
