import { join } from 'node:path';
import { ensureConsole } from '../../lib/console/ensure.ts';
import { startConsole } from '../../test/support/console.ts';
import { ringsOn, share, shownAfter, withoutDoorbell } from '../../test/support/console-hour.ts';
import { seeded } from '../../test/support/random.ts';
import type { Scenario } from '../scenario.ts';

const messages = 100;

export const scenario: Scenario = {
  name: 'console-rung',
  description: `The console in Chromium and the product on one machine: from the provider's post of a customer's message to its text in the inbox, ${messages} messages three to five seconds apart, with the doorbell and without it in a page whose user moves the pointer`,
  deterministic: false,
  measure: async () => {
    await ensureConsole(join(import.meta.dirname, '../..'));
    await using swb = await startConsole();
    const random = seeded(46);
    const sorted = async (isRung: boolean): Promise<number[]> => {
      const page = await swb.open();
      if (!isRung) await withoutDoorbell(page);
      const rings = isRung ? ringsOn(page) : undefined;
      await page.goto(swb.product.baseUrl);
      await page.getByRole('button', { name: 'Member' }).first().click();
      await page.locator('.inbox').waitFor();
      await rings;
      const taken = await shownAfter(swb, page, messages, () => {
        void page.mouse.move(400 * random(), 300 * random());
        return 3_000 + 2_000 * random();
      });
      await page.context().close();
      return taken;
    };
    const [rung, used] = [await sorted(true), await sorted(false)];
    return [
      { name: 'a message is seen, with the doorbell, p50', unit: 'ms', value: Math.round(share(rung, 0.5)) },
      { name: 'a message is seen, with the doorbell, p99', unit: 'ms', value: Math.round(share(rung, 0.99)), atMost: 1_000, isGoal: true },
      { name: 'a message is seen, without it, p50', unit: 'ms', value: Math.round(share(used, 0.5)) },
      { name: 'a message is seen, without it, p99', unit: 'ms', value: Math.round(share(used, 0.99)), atMost: 4_000, isGoal: true },
    ];
  },
};
