import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { dayMs, isoTime, minuteMs, now } from '../../../shared/runtime/clock.ts';
import { conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { PhoneCheck } from '../contract/phone-check.ts';
import { checkResultOf, cooldownMs, liveChecks, noEvidence } from '../domain/reachability.ts';
import { canonicalPhone } from '../contract/phone.ts';
import { reserveCheck, getReachability } from '../store/reachability.ts';
import { readCompanyPhone } from './phones.ts';

/**
 * Whether a phone is on WhatsApp (A16, A17): from its format or earlier evidence, else pending until a status webhook arrives.
 * Known: 0.5 RRU. A live check: 4 WRU, at most 30 a minute and 1,000 a day per company.
 */
export const checkPhone = async (
  companyId: number,
  { phone: given, refresh = false }: { phone: string; refresh?: boolean | undefined },
): Promise<PhoneCheck | Problem<'check_phone_quota'>> => {
  const read = await readCompanyPhone(companyId, given);
  if (!read.ok) return toPhoneCheck(given.replace(/\D/g, ''), { is_valid: false, exists_on_whatsapp: false, source: 'format' });
  const phone = read.digits;
  return retryOnConflict(maxAttempts, async (attempt) => {
    const row = await getReachability(companyId, phone, { consistent: attempt > 1 });
    const at = now();
    const answer = checkResultOf(row, refresh, at);
    if (answer.status === 'settled')
      return toPhoneCheck(phone, { is_valid: true, exists_on_whatsapp: answer.exists, source: answer.source }, answer.cooldownUntil);
    if (answer.status !== 'check_needed') return toPhoneCheck(phone, waiting(answer.status), answer.cooldownUntil);
    const begun = await reserveCheck(
      row,
      { ...(row ?? noEvidence(companyId, canonicalPhone(phone))), checkedAt: at, pendingSince: answer.pendingSince },
      at,
    );
    if (begun === 'done') return toPhoneCheck(phone, waiting('pending'), at + cooldownMs);
    return begun === 'changed' ? conflict : quotaProblem(begun, at);
  });
};

const maxAttempts = 12;

const waiting = (status: 'pending' | 'inconclusive') => ({
  is_valid: null,
  exists_on_whatsapp: null,
  check_status: status,
  source: status === 'pending' ? ('live_pending' as const) : ('live' as const),
});

function toPhoneCheck(
  phone: string,
  result: Pick<PhoneCheck, 'is_valid' | 'exists_on_whatsapp' | 'source'> & { check_status?: PhoneCheck['check_status'] },
  cooldownUntil?: number,
): PhoneCheck {
  return { phone, check_status: 'settled', ...result, cooldown_until: cooldownUntil === undefined ? null : isoTime(cooldownUntil) };
}

function quotaProblem(scope: 'minute' | 'day', at: number): Problem<'check_phone_quota'> {
  const [limit, length] = scope === 'minute' ? [liveChecks.perMinute, minuteMs] : [liveChecks.perDay, dayMs];
  return problem('check_phone_quota', {
    message: `A company may check ${limit} unknown numbers a ${scope}.`,
    retryAfterSeconds: Math.max(1, Math.ceil((length - (at % length)) / 1_000)),
    details: { scope, limit },
  });
}
