import { now } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { isSprayed, pumpedCountries, rateOf } from '../domain/code-rate.ts';
import { getCodeRate } from '../store/code-rate.ts';
import type { CompleteProfile } from './profile.ts';

const cacheMs = 10_000;
/** What the calls of a profile within the hour say of all that follow. */
export interface ProfileRate {
  /** Wrong codes are so frequent that codes are tried at many identifiers. */
  isSprayed: boolean;
  /** Countries of which many codes are requested with a public key and few verified. */
  pumped: ReadonlySet<string>;
}
const cached = processMap<string, ProfileRate & { readAt: number }>();

/** Cached for ten seconds; 0.5 RRU. */
export const getProfileRate = async ({ companyId, id }: CompleteProfile): Promise<ProfileRate> => {
  const key = `${companyId}:${id}`;
  const known = cached.get(key);
  const at = now();
  if (known && Math.abs(at - known.readAt) < cacheMs) return known;
  const row = await getCodeRate(companyId, id);
  const rate = { isSprayed: isSprayed(rateOf(row, at)), pumped: pumpedCountries(row, at) };
  if (rate.isSprayed) metric('CodeAbuse', 'Count', 1, {}, { code: 'wrong_codes' });
  if (cached.size >= 10_000) cached.clear();
  cached.set(key, { ...rate, readAt: at });
  return rate;
};
