import { describe, expect, it } from 'vitest';
import { checkGroups } from '../../../conformance/check.ts';
import { allChecks, checkDeployment } from '../../../conformance/runner.ts';
import { product } from './product.ts';

/** What each check must notice: test/client/conformance.test.ts. */
export const conformanceOnLaptop = (): void => {
  describe('the conformance runner', () => {
    it('finds that the product conforms, with its signed webhooks and its limits, and leaves no contact and no endpoint', async () => {
      // another company: its limits are reached
      const company = product.demo.companies[1];
      if (!company) throw new Error('The demo has no second company.');
      const options = { base: product.baseUrl, token: company.tokens.admin, receiverPort: 0, reachLimit: true, groups: checkGroups };
      const report = await checkDeployment({ ...options, sendTo: '+4915123456777', timeoutMs: 60_000 });
      expect(report.checks.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
      expect(report.passed).toBe(allChecks.length);
      const read = async (path: string) => (await product.http({ method: 'GET', path, token: company.tokens.admin })).body;
      expect(await read('/api/v1/contacts?search=Conformance')).toMatchObject({ data: [] });
      expect(await read('/api/v1/webhooks')).toMatchObject({ data: [] });
    });
  });
};
