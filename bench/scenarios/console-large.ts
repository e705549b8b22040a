import { join } from 'node:path';
import { ensureConsole } from '../../lib/console/ensure.ts';
import { share } from '../../test/support/console-hour.ts';
import { startConsole } from '../../test/support/console.ts';
import { addPeople, createSale, whenAllRead } from '../running.ts';
import type { Scenario } from '../scenario.ts';

const conversations = Number(process.env['CONVERSATIONS'] ?? 10_000);
const messages = 200;
const opens = 20;
const customer = '4915160100000';

export const scenario: Scenario = {
  name: 'console-large',
  description: `The console in Chromium and the product on one machine, with ${conversations.toLocaleString('en')} conversations, one of them of ${messages} messages: from its address, typed by a user who is signed in, to the rows of the list and to its newest message, ${opens} times`,
  deterministic: false,
  measure: async () => {
    await ensureConsole(join(import.meta.dirname, '../..'));
    await using swb = await startConsole();
    await addPeople(swb.product, conversations);
    await whenAllRead(swb.product, await createSale(swb.product), conversations, 3_600_000);
    for (let nth = 1; nth <= messages; nth++) await swb.write(customer, 'Person 0', `Question ${nth}`);
    await swb.product.idle(600);
    const page = await swb.signIn('Member');
    await page
      .locator('.conversation')
      .filter({ hasText: `Question ${messages}` })
      .click();
    await page
      .locator('.message')
      .filter({ hasText: `Question ${messages}` })
      .waitFor();
    const address = page.url();
    const [lists, threads]: [number[], number[]] = [[], []];
    for (let nth = 0; nth < opens; nth++) {
      const began = performance.now();
      const since = async (selector: string): Promise<number> => {
        await page
          .locator(selector)
          .filter({ hasText: `Question ${messages}` })
          .first()
          .waitFor();
        return performance.now() - began;
      };
      const going = page.goto(address, { waitUntil: 'commit' });
      const [list, thread] = await Promise.all([going.then(() => since('.conversation')), going.then(() => since('.message'))]);
      lists.push(list);
      threads.push(thread);
    }
    for (const taken of [lists, threads]) taken.sort((a, b) => a - b);
    return [
      { name: 'the list, p50', unit: 'ms', value: Math.round(share(lists, 0.5)), atMost: 1_000, isGoal: true },
      { name: 'the thread, p50', unit: 'ms', value: Math.round(share(threads, 0.5)), atMost: 1_500, isGoal: true },
      { name: 'the list, p95', unit: 'ms', value: Math.round(share(lists, 0.95)) },
      { name: 'the thread, p95', unit: 'ms', value: Math.round(share(threads, 0.95)) },
    ];
  },
};
