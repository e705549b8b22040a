import { now } from '../../../shared/runtime/clock.ts';
import { getActiveNumber } from '../../account/service/numbers.ts';

const cacheMs = 60_000;
const cachedPhones = new Map<number, { phone: string | undefined; readAt: number }>();

/**
 * The number that people write to for one-click, digits. Kept for a minute in the process: it is only shown, and a number that was
 * changed goes on receiving. 0.5 RRU once a minute.
 */
export const getBotPhone = async (companyId: number): Promise<string | undefined> => {
  const held = cachedPhones.get(companyId);
  if (held && now() - held.readAt < cacheMs) return held.phone;
  const phone = (await getActiveNumber(companyId))?.phone;
  if (cachedPhones.size >= 10_000) cachedPhones.clear();
  cachedPhones.set(companyId, { phone, readAt: now() });
  return phone;
};
