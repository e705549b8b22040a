import type { Page, WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { share, shownAfter, withoutDoorbell } from '../../support/console-hour.ts';
import { row } from '../../support/inbox-page.ts';
import { seeded } from '../../support/random.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** The doorbell as a page has it: how soon a customer's message is seen, and that nothing is missed whatever becomes of the rings. */
let swb: Console;
beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const customer = (nth: number): string => String(4_915_180_000_000 + nth);
const write = (text: string, nth: number): Promise<void> => swb.write(customer(nth), `Caller ${nth}`, text);

/** What a page's bell does with a ring; by default it rings. */
type OnRing = (ring: () => void) => void;

/** A page whose connection goes through the test. */
const signedIn = async (onRing?: OnRing, prepare?: (page: Page) => Promise<unknown>): Promise<Page> => {
  const page = await swb.open();
  await prepare?.(page);
  let subscribed: () => void = () => undefined;
  const rings = new Promise<void>((resolve) => (subscribed = resolve));
  await page.routeWebSocket(/\/doorbell$/, (route: WebSocketRoute) => {
    const server = route.connectToServer();
    server.onMessage((message) => {
      const isRing = String(message).includes('"data"');
      if (String(message).includes('subscribe_success')) subscribed();
      if (isRing && onRing) onRing(() => route.send(message));
      else route.send(message);
    });
  });
  await page.goto(swb.product.baseUrl);
  await page.getByRole('button', { name: 'Owner' }).first().click();
  await page.locator('.inbox').waitFor();
  if (!prepare) await rings;
  return page;
};

describe('a message of a customer', () => {
  test('is seen when the page is rung: always long before it would look by itself, and mostly within a second or two', async () => {
    const page = await signedIn();
    const random = seeded(46);
    const sorted = await shownAfter(swb, page, 12, () => 3_000 + 2_000 * random());
    // how many are seen within a second on a machine that does nothing else: npm run bench -- console-rung
    expect(share(sorted, 0.5)).toBeLessThan(2_000);
    expect(sorted.at(-1)).toBeLessThan(15_000);
    await page.context().close();
  }, 300_000);

  test.each<[string, OnRing]>([
    ['twice', (ring) => (ring(), ring())],
    ['late', (ring) => void setTimeout(ring, 3_000)],
  ])('is seen, once, where rings come %s', async (_how, onRing) => {
    const page = await signedIn(onRing);
    for (let nth = 0; nth < 5; nth++) {
      await write(`${_how} ${nth}`, nth);
      await row(page, `${_how} ${nth}`).waitFor({ timeout: 10_000 });
    }
    for (let nth = 0; nth < 5; nth++) expect(await row(page, `${_how} ${nth}`).count()).toBe(1);
    await page.context().close();
  });

  test('is seen within a minute where each ring is lost', async () => {
    const page = await signedIn(() => undefined);
    await write('No one rings', 1);
    await row(page, 'No one rings').waitFor({ timeout: 62_000 });
    await page.context().close();
  }, 120_000);

  test('is seen within four seconds where the page has no doorbell and its user is there', async () => {
    const page = await signedIn(undefined, withoutDoorbell);
    const random = seeded(47);
    const sorted = await shownAfter(swb, page, 8, () => {
      void page.mouse.move(400 * random(), 300 * random());
      return 500 + 3_000 * random();
    });
    expect(share(sorted, 0.5)).toBeLessThan(4_000);
    await page.context().close();
    expect(swb.complaints).toEqual([]);
  }, 200_000);
});
