import type { Subscription } from '../domain/subscription.ts';
import { getSubscriptions } from '../store/subscriptions.ts';

/**
 * What companies subscribe to, as it is now: an endpoint gets whatever happens after the call that made it was answered, and nothing after the one
 * that deleted it. 1 RRU a company, for all events of a batch.
 */
export const subscriptionsOf = async (companyIds: readonly number[]): Promise<ReadonlyMap<number, readonly Subscription[]>> =>
  new Map((await getSubscriptions(companyIds)).map(({ companyId, endpoints }) => [companyId, endpoints]));
