import { now } from '../../../shared/runtime/clock.ts';
import { activeNumber } from '../../account/service/numbers.ts';

const keptMs = 60_000;
const known = new Map<number, { phone: string | undefined; readAt: number }>();

/**
 * The number that people write to for one-click, digits. Kept for a minute in the process: it is only shown, and a number that was
 * changed goes on receiving. 0.5 RRU once a minute.
 */
export const botPhoneOf = async (companyId: number): Promise<string | undefined> => {
  const held = known.get(companyId);
  if (held && now() - held.readAt < keptMs) return held.phone;
  const phone = (await activeNumber(companyId))?.phone;
  if (known.size >= 10_000) known.clear();
  known.set(companyId, { phone, readAt: now() });
  return phone;
};
