import { type Problem, problem } from '../contract/problems.ts';
import { limits } from '../contract/route.ts';
import { now } from '../runtime/clock.ts';
import { log } from '../runtime/log.ts';
import { processMap } from '../runtime/memory.ts';
import { countCompanyReadUnits } from './credential.ts';
import { windowEndSeconds, windowOf } from './window.ts';

/**
 * A company's requests are limited by what they read, too (decision G12). A process adds up the read units of a company and writes them to
 * its minute in portions, so that an ordinary request writes nothing more: 1 WRU for at least 250 RRU.
 */
export const unitsPerWrite = 250;

interface Minute {
  window: number;
  units: number;
}
/** By company, in this process: not yet written; and the minute's total where it is beyond the limit. */
const pending = processMap<number, Minute>();
const exhaustedIn = processMap<number, number>();

export const readCostProblem = (companyId: number): Problem<'rate_limited'> | undefined => {
  const at = now();
  if (exhaustedIn.get(companyId) !== windowOf(at)) return undefined;
  const { perMinute } = limits.read_units;
  return problem('rate_limited', {
    message: `The company's requests read more than ${perMinute.toLocaleString('en-US')} units a minute. Filter by what has an index, and page by cursor.`,
    retryAfterSeconds: Math.max(1, Math.ceil(windowEndSeconds(at) - at / 1_000)),
    details: { scope: 'read_units', limit: perMinute },
  });
};

/** Adds what a request has read. A failure is logged only: the request has its answer. */
export const chargeReadUnits = async (companyId: number, units: number): Promise<void> => {
  if (units <= 0) return;
  const window = windowOf(now());
  const held = pending.get(companyId);
  const sum = units + (held?.window === window ? held.units : 0);
  if (sum < unitsPerWrite) {
    pending.set(companyId, { window, units: sum });
    return;
  }
  pending.delete(companyId);
  try {
    if ((await countCompanyReadUnits(companyId, Math.ceil(sum))) > limits.read_units.perMinute) exhaustedIn.set(companyId, window);
  } catch (error) {
    log.error('The read units of a company could not be counted', error);
  }
};
