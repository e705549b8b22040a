import { accountScenarios } from './scenarios-account.ts';
import { changeScenarios } from './scenarios-changes.ts';
import { contactScenarios } from './scenarios-contacts.ts';
import { messagingScenarios } from './scenarios-messaging.ts';
import { campaignScenarios } from './scenarios-campaigns.ts';
import { shopScenarios } from './scenarios-shop.ts';
import { templateScenarios } from './scenarios-templates.ts';
import { verificationScenarios } from './scenarios-verification.ts';
import type { Example } from './examples.ts';
import type { ContractFixture } from './fixture.ts';

/**
 * Another way of a route than its example's: one on which its function, or a worker behind it, makes a call that no example leads to. Each
 * is answered with a 2xx, gives fresh data at every call, and leaves as much behind each time (test/contract/faults.test.ts).
 */
export interface Scenario {
  route: string;
  /** What is particular about it, in words that follow the route's name. */
  title: string;
  example: (fixture: ContractFixture) => Example | Promise<Example>;
  /** What happens next, before the queues are worked: time passes, the dispatcher ticks. Its worker may crash as well. */
  next?: (fixture: ContractFixture) => Promise<void>;
  /** Why another try, or another call of `next`, leaves more than the first: what it adds is not compared then. */
  repeatable?: string;
}

export const scenarios: readonly Scenario[] = [
  ...accountScenarios,
  ...contactScenarios,
  ...messagingScenarios,
  ...templateScenarios,
  ...shopScenarios,
  ...campaignScenarios,
  ...verificationScenarios,
  ...changeScenarios,
];
