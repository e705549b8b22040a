import { now } from '../../../shared/runtime/clock.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import { getActiveNumber } from '../../account/service/numbers.ts';

const cacheMs = 60_000;
const cachedPhones = processMap<number, { phone: string | undefined; readAt: number }>();

/**
 * The business number that receives one-click messages, digits. Cached for a minute in the process: a replaced number still receives, so
 * an outdated one does no harm. 0.5 RRU once a minute.
 */
export const getBotPhone = async (companyId: number): Promise<string | undefined> => {
  const cached = cachedPhones.get(companyId);
  if (cached && now() - cached.readAt < cacheMs) return cached.phone;
  const phone = (await getActiveNumber(companyId))?.phone;
  if (cachedPhones.size >= 10_000) cachedPhones.clear();
  cachedPhones.set(companyId, { phone, readAt: now() });
  return phone;
};
