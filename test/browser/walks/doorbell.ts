import type { Page, WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { withoutDoorbell } from '../../support/console-hour.ts';
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

/** Milliseconds from the provider's post to the text in the list, in order of length. */
const delays = async (page: Page, messages: number, pauseMs: () => number): Promise<number[]> => {
  const taken: number[] = [];
  for (let nth = 0; nth < messages; nth++) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs()));
    const text = `Rung ${crypto.randomUUID().slice(0, 8)}`;
    const began = performance.now();
    await Promise.all([write(text, nth % 10), row(page, text).waitFor()]);
    taken.push(performance.now() - began);
  }
  return taken.toSorted((a, b) => a - b);
};
const share = (sorted: readonly number[], of: number): number => sorted[Math.ceil(sorted.length * of) - 1] ?? Number.NaN;

describe('a message of a customer', () => {
  test('is seen within a second where the page is rung, 99 of 100', async () => {
    const page = await signedIn();
    const random = seeded(46);
    // as a page that looks seldom, and at most as often as its pace lets it
    const sorted = await delays(page, 60, () => 3_000 + 2_000 * random());
    console.log(`p50 ${Math.round(share(sorted, 0.5))} ms, p99 ${Math.round(share(sorted, 0.99))} ms of ${sorted.length}`);
    expect(share(sorted, 0.99)).toBeLessThan(1_000);
    await page.context().close();
  }, 500_000);

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
    await write('Nobody rings', 1);
    await row(page, 'Nobody rings').waitFor({ timeout: 62_000 });
    await page.context().close();
  }, 120_000);

  test('is seen as soon as ever where the page has no doorbell, and where the connection ends', async () => {
    const page = await signedIn(undefined, withoutDoorbell);
    await write('No doorbell', 2);
    await row(page, 'No doorbell').waitFor({ timeout: 12_000 });
    await page.context().close();
    expect(swb.complaints).toEqual([]);
  });
});
