import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { dayMs, hourMs } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { secondsUntil } from '../domain/request-budget.ts';
import { countryCeiling } from '../domain/settings.ts';
import { hourCodesField, recordCeiling, reserveCodes } from '../store/code-ceiling.ts';
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

/** Which ceilings a code is under. */
export interface CodeToReserve {
  profile: CompleteProfile;
  /** Whether a server of the company requests it. */
  isTrusted: boolean;
  /** Of the phone; undefined: an email, or of no known country. */
  country: string | undefined;
}

/**
 * Reserves a code under the ceilings of the profile. A process reserves up to 20 codes at once and never more than a hundredth of the least
 * ceiling, so that the ceiling is exact and costs 1 WRU for 20 codes; what a process has left when it ends is not sent. Codes to a country with a
 * ceiling of its own are reserved apart.
 */
export const reserveCode = async (code: CodeToReserve, at: number): Promise<Problem<'ceiling_reached'> | undefined> => {
  const { profile, isTrusted } = code;
  const { companyId, id: profileId, settings } = profile;
  const hour = Math.floor(at / hourMs);
  const key = leaseKey(code, hour);
  const lease = leases.get(key) ?? { left: 0 };
  if (lease.left > 0) {
    lease.left--;
    return undefined;
  }
  if (lease.refused && lease.refused.untilMs > at) return lease.refused.problem;
  const [perHour, perDay] = [share(settings.ceilings.per_hour, isTrusted), share(settings.ceilings.per_day, isTrusted)];
  const country = ceilingOf(code);
  const id = { companyId, profileId, day: Math.floor(at / dayMs) };
  const least = Math.min(perHour, perDay, country?.perDay ?? perDay);
  const most = Math.max(1, Math.min(20, Math.floor(least / 100)));
  if (leases.size >= maxLeases) leases.clear();
  for (const count of most === 1 ? [1] : [most, 1]) {
    const reserved = await reserveCodes(id, { count, hour, perHour, perDay, country });
    if (reserved.done) {
      leases.set(key, { left: (leases.get(key)?.left ?? 0) + count - 1 });
      return undefined;
    }
    if (count > 1) continue;
    const used = (field: string): number => Number(reserved.current?.[field] ?? 0);
    const isHour = used(hourCodesField(hour)) >= perHour;
    const isOfCountry = !isHour && used('codes') < perDay;
    const endsAt = isHour ? (hour + 1) * hourMs : (id.day + 1) * dayMs;
    metric('CodeAbuse', 'Count', 1, {}, { code: 'ceiling_reached' });
    await recordCeiling(id, {
      window: isHour ? 'hour' : 'day',
      hour,
      limit: isHour ? perHour : isOfCountry ? (country?.perDay ?? perDay) : perDay,
      endsAt,
      ...(isOfCountry && country ? { country: country.name } : {}),
    });
    const refusal = problem('ceiling_reached', { retryAfterSeconds: secondsUntil(endsAt, at) });
    leases.set(key, { left: 0, refused: { problem: refusal, untilMs: at + refusalMs } });
    return refusal;
  }
  return undefined;
};

/** The ceiling of the country that a code goes to, where it has one. */
const ceilingOf = ({ profile, isTrusted, country }: CodeToReserve): { name: string; perDay: number } | undefined => {
  const perDay = countryCeiling(profile.settings, country);
  return country === undefined || perDay === undefined ? undefined : { name: country, perDay: share(perDay, isTrusted) };
};

/** Public keys leave a tenth of a ceiling to the servers of the company. */
const share = (ceiling: number, isTrusted: boolean): number => (isTrusted ? ceiling : ceiling - Math.floor(ceiling / 10));
const leaseKey = (code: CodeToReserve, hour: number): string =>
  `${code.profile.companyId}:${code.profile.id}:${code.isTrusted}:${hour}:${ceilingOf(code)?.name ?? ''}`;

/** Returns a code that was reserved and is not sent. */
export const returnCode = (code: CodeToReserve, at: number): void => {
  const lease = leases.get(leaseKey(code, Math.floor(at / hourMs)));
  if (lease) lease.left++;
};
