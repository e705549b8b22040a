import { messagingErrands } from './errands-messaging.ts';
import { campaignErrands } from './errands-campaigns.ts';
import { shopErrands } from './errands-shop.ts';
import type { Example } from './examples.ts';
import type { ContractStage } from './stage.ts';

/**
 * Another way of a route than its example's: one on which its function, or a worker behind it, makes a call that no example leads to. Each
 * is answered with a 2xx, gives fresh data at every call, and leaves as much behind each time (test/contract/faults.test.ts).
 */
export interface Errand {
  route: string;
  /** What is particular about it, in words that follow the route's name. */
  what: string;
  example: (stage: ContractStage) => Example | Promise<Example>;
  /** What happens next, before the queues are worked: time passes, the dispatcher ticks. Whoever works then may die as well. */
  next?: (stage: ContractStage) => Promise<void>;
}

export const errands: readonly Errand[] = [...messagingErrands, ...shopErrands, ...campaignErrands];
