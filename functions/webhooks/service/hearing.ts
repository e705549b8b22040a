import { isProblem } from '../../../shared/contract/problems.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { findSubscriptions, type Subscriptions } from '../store/subscriptions.ts';

/**
 * What companies listen to, kept for moments by whoever asks for every stored change. Whoever changes a subscription answers only when
 * nobody can have the old one in mind any more; so an endpoint hears everything from the answer of its creation on.
 */
const keptMs = (): number => Number(optionalSetting('LISTENERS_KEPT_MS') ?? 0);

interface Kept {
  readAtMs: number;
  subscriptions: Subscriptions | undefined;
}
const kept = new Map<number, Kept>();
const keptAtMost = 10_000;

/** By company; 1 RRU a company that was not asked for within `LISTENERS_KEPT_MS`. */
export const subscriptionsNow = async (companyIds: readonly number[]): Promise<Subscriptions[]> => {
  // the clock of this process alone, from before the read: nobody's view is older than it seems
  const at = performance.now();
  const unknown = companyIds.filter((companyId) => !isFresh(kept.get(companyId), at));
  if (unknown.length > 0) {
    const found = new Map((await findSubscriptions(unknown)).map((each) => [each.companyId, each]));
    if (kept.size + unknown.length > keptAtMost) kept.clear();
    for (const companyId of unknown) kept.set(companyId, { readAtMs: at, subscriptions: found.get(companyId) });
    return companyIds.flatMap((companyId) => found.get(companyId) ?? kept.get(companyId)?.subscriptions ?? []);
  }
  return companyIds.flatMap((companyId) => kept.get(companyId)?.subscriptions ?? []);
};

/** A change of subscriptions, once every process has forgotten what was true before it. */
export const heardByAll = async <T>(changed: Promise<T>): Promise<T> => {
  const outcome = await changed;
  const ms = keptMs();
  if (ms > 0 && !isProblem(outcome)) await new Promise((resolve) => setTimeout(resolve, ms));
  return outcome;
};

const isFresh = (entry: Kept | undefined, at: number): boolean => entry !== undefined && at - entry.readAtMs < keptMs();
