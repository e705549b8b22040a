import type { ReportBreakdown, ReportDay } from '../contract/admin.ts';
import { channels } from '../contract/stored.ts';
import type { VerificationCount } from '../contract/usage.ts';

const outcomes = ['verified', 'failed', 'expired', 'blocked'] as const;

/**
 * One line for each day and profile, or channel, country or reason of it, that has a count, in the order of the days. `requested` is the sum of the
 * outcomes.
 */
export const reportDays = (counts: readonly VerificationCount[], by: ReportBreakdown): ReportDay[] => {
  const days = new Map<string, ReportDay>();
  for (const { date, profileId, channel: given, country: of = null, reason: why = null, status, count } of counts) {
    const outcome = outcomes.find((each) => each === status);
    const channel = by === 'profile' ? null : (channels.find((each) => each === given) ?? null);
    const country = by === 'country' ? of : null;
    const reason = by === 'reason' ? why : null;
    const key = `${date}/${profileId ?? ''}/${channel ?? ''}/${country ?? ''}/${reason ?? ''}`;
    const none = { requested: 0, verified: 0, failed: 0, expired: 0, blocked: 0 };
    const day = days.get(key) ?? { date, profile_id: profileId, channel, country, reason, ...none };
    if (outcome) days.set(key, { ...day, requested: day.requested + count, [outcome]: day[outcome] + count });
  }
  return [...days.values()];
};
