import { text } from '../../../shared/contract/fields.ts';

/** An IANA time zone known to this runtime. */
export const timezone = text(64, 1).refine(isTimezone, { error: 'Must be an IANA time zone, such as Europe/Berlin.' });

function isTimezone(value: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}
