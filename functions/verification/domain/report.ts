import type { ReportDay } from '../contract/admin.ts';
import { channels } from '../contract/stored.ts';
import type { VerificationCount } from '../contract/usage.ts';

const outcomes = ['verified', 'failed', 'expired', 'blocked'] as const;

/** One line for each day and profile, or channel of it, that has a count, in the order of the days. `requested` is the sum of the outcomes. */
export const reportDays = (counts: readonly VerificationCount[], by: 'profile' | 'channel'): ReportDay[] => {
  const days = new Map<string, ReportDay>();
  for (const { date, profileId, channel: given, status, count } of counts) {
    const outcome = outcomes.find((each) => each === status);
    const channel = by === 'channel' ? (channels.find((each) => each === given) ?? null) : null;
    const key = `${date}/${profileId ?? ''}/${channel ?? ''}`;
    const day = days.get(key) ?? { date, profile_id: profileId, channel, requested: 0, verified: 0, failed: 0, expired: 0, blocked: 0 };
    if (outcome) days.set(key, { ...day, requested: day.requested + count, [outcome]: day[outcome] + count });
  }
  return [...days.values()];
};
