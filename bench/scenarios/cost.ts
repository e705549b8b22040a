import { readBaseline } from '../baseline.ts';
import { campaignRecipient, costOf, operations } from '../cost.ts';
import type { Scenario } from '../scenario.ts';

export const scenario: Scenario = {
  name: 'cost',
  description:
    'A million recipients of a campaign on AWS, from the units in the baseline and the prices: all services, as docs/cost.md has them',
  deterministic: true,
  measure: () => {
    const usage = operations.find(({ operation }) => operation === campaignRecipient);
    if (!usage) throw new Error('A recipient has no price.');
    const { perMillion } = costOf(usage, readBaseline());
    return Promise.resolve([
      { name: 'a million campaign recipients, all services', unit: 'dollars', value: Math.round(perMillion * 100) / 100, atMost: 8 },
    ]);
  },
};
