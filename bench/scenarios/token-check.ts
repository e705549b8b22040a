import type { Scenario } from '../scenario.ts';
import { withFixture } from '../scenario.ts';
import { authenticate } from '../../shared/access/credential.ts';

export const scenario: Scenario = {
  name: 'token-check',
  description: 'Checking a token: exists, not revoked, not expired, within its limit, counted',
  deterministic: true,
  measure: () =>
    withFixture(async ({ testApp, token }) => {
      const used = await testApp.meter(() => authenticate(['token'], token, 'read'));
      return [
        { name: 'writes', unit: 'WRU', value: used.wru, atMost: 1 },
        { name: 'reads', unit: 'RRU', value: used.rru, atMost: 0 },
        { name: 'table calls', unit: 'calls', value: used.calls, atMost: 1 },
      ];
    }),
};
