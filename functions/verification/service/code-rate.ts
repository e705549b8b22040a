import { now } from '../../../shared/runtime/clock.ts';
import { metric } from '../../../shared/runtime/log.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { isSprayed, rateOf } from '../domain/code-rate.ts';
import { getCodeRate } from '../store/code-rate.ts';
import type { Profile } from './profile.ts';

const cacheMs = 10_000;
const cached = processMap<string, { isSprayed: boolean; readAt: number }>();

/** Whether wrong codes of the profile are so frequent that codes are tried at many identifiers. Cached for ten seconds; 0.5 RRU. */
export const isProfileSprayed = async ({ companyId, id }: Profile): Promise<boolean> => {
  const key = `${companyId}:${id}`;
  const known = cached.get(key);
  const at = now();
  if (known && Math.abs(at - known.readAt) < cacheMs) return known.isSprayed;
  const is = isSprayed(rateOf(await getCodeRate(companyId, id), at));
  if (is) metric('WrongCodeRateHigh', 'Count', 1);
  if (cached.size >= 10_000) cached.clear();
  cached.set(key, { isSprayed: is, readAt: at });
  return is;
};
