import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { dayMs, hourMs } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { secondsUntil } from '../domain/request-budget.ts';
import { recordCeiling, hourCodesField, reserveCodes } from '../store/code-ceiling.ts';
import type { CompleteProfile } from './profile.ts';

/** Codes that this process may still send for a profile within an hour, or until when it need not try again. */
interface Lease {
  left: number;
  refused?: { problem: Problem<'ceiling_reached'>; untilMs: number };
}
const leases = processMap<string, Lease>();
const maxLeases = 10_000;
/** A ceiling that is raised holds within this time. */
const refusalMs = 10_000;

/**
 * Reserves a code under the ceilings of the profile. A process reserves up to 20 codes at once and never more than a hundredth of the
 * ceiling, so that the ceiling is exact and costs 1 WRU for 20 codes; what a process has left when it ends is not sent.
 */
export const reserveCode = async (
  profile: CompleteProfile,
  isTrusted: boolean,
  at: number,
): Promise<Problem<'ceiling_reached'> | undefined> => {
  const { companyId, id: profileId, settings } = profile;
  const hour = Math.floor(at / hourMs);
  const key = leaseKey(profile, isTrusted, hour);
  const lease = leases.get(key) ?? { left: 0 };
  if (lease.left > 0) {
    lease.left--;
    return undefined;
  }
  if (lease.refused && lease.refused.untilMs > at) return lease.refused.problem;
  const [perHour, perDay] = [share(settings.ceilings.per_hour, isTrusted), share(settings.ceilings.per_day, isTrusted)];
  const id = { companyId, profileId, day: Math.floor(at / dayMs) };
  const most = Math.max(1, Math.min(20, Math.floor(Math.min(perHour, perDay) / 100)));
  if (leases.size >= maxLeases) leases.clear();
  for (const count of most === 1 ? [1] : [most, 1]) {
    const reserved = await reserveCodes(id, { count, hour, perHour, perDay });
    if (reserved.done) {
      leases.set(key, { left: (leases.get(key)?.left ?? 0) + count - 1 });
      return undefined;
    }
    if (count > 1) continue;
    const isHour = Number(reserved.current?.[hourCodesField(hour)] ?? 0) >= perHour;
    const endsAt = isHour ? (hour + 1) * hourMs : (id.day + 1) * dayMs;
    metric('CodeAbuse', 'Count', 1, {}, { code: 'ceiling_reached' });
    await recordCeiling(id, { window: isHour ? 'hour' : 'day', hour, limit: isHour ? perHour : perDay, endsAt });
    const refusal = problem('ceiling_reached', { retryAfterSeconds: secondsUntil(endsAt, at) });
    leases.set(key, { left: 0, refused: { problem: refusal, untilMs: at + refusalMs } });
    return refusal;
  }
  return undefined;
};

/** Public keys leave a tenth of a ceiling to the servers of the company. */
const share = (ceiling: number, isTrusted: boolean): number => (isTrusted ? ceiling : ceiling - Math.floor(ceiling / 10));
const leaseKey = ({ companyId, id }: CompleteProfile, isTrusted: boolean, hour: number): string =>
  `${companyId}:${id}:${isTrusted}:${hour}`;

/** Returns a code that was reserved and is not sent. */
export const returnCode = (profile: CompleteProfile, isTrusted: boolean, at: number): void => {
  const lease = leases.get(leaseKey(profile, isTrusted, Math.floor(at / hourMs)));
  if (lease) lease.left++;
};
