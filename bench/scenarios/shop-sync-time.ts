import { issueErpToken } from '../../functions/account/service/machine-tokens.ts';
import { unwrap } from '../../test/support/company.ts';
import { withFixture, type Scenario, expectOk } from '../scenario.ts';

export const scenario: Scenario = {
  name: 'shop-sync-time',
  description: 'An ERP sync of 1,000 rows on this machine: all new, then all changed',
  deterministic: false,
  measure: () =>
    withFixture(async ({ testApp, company }) => {
      const { secret } = unwrap(await issueErpToken(company.id, {}));
      const sync = async (name: string): Promise<number> => {
        const products = Array.from({ length: 1_000 }, (_, i) => ({ external_id: `erp-${i}`, name: `${name} ${i}`, price: i }));
        const began = performance.now();
        await expectOk(testApp.call({ method: 'POST', path: '/api/shop/erp/sync', token: secret, body: { products } }));
        return Math.round(performance.now() - began);
      };
      return [
        { name: '1,000 new rows', unit: 'ms', value: await sync('New'), atMost: 3_000 },
        { name: '1,000 changed rows', unit: 'ms', value: await sync('Changed'), atMost: 3_000 },
      ];
    }),
};
