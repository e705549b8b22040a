import type { Page, Request, WebSocketRoute } from 'playwright-core';
import type { Console } from './console.ts';
import { row } from './inbox-page.ts';

/** How often a customer writes while the console is open. */
export type Pace = 'quiet' | 'one a minute' | 'twenty a minute';

const messagesAMinute: Readonly<Record<Pace, number>> = { quiet: 0, 'one a minute': 1, 'twenty a minute': 20 };

/** Between two steps of the page's clock: shorter than every pause of the page, so that each ends in its own step. */
const stepMs = 250;

/** Calls of a stretch, by the operation's path without ids. */
export interface Stretch {
  minutes: number;
  calls: number;
  byPath: Readonly<Record<string, number>>;
}

/** As many of the calls as an hour has. */
export const perHour = ({ minutes, calls }: Stretch): number => Math.round((calls / minutes) * 60);

/** The page has no doorbell, as in a deployment that has none. */
export const withoutDoorbell = (page: Page): Promise<unknown> =>
  page.route('**/api/v1/sessions/doorbell', (route) =>
    route.fulfill({ json: { status: 'success', message: 'The doorbell of the company.', data: { doorbell: null } } }),
  );

/** The connections of pages whose clock the measurement moves: the pings of a minute come by that clock too. */
const bells = new WeakMap<Page, WebSocketRoute>();
const ping = '{"type":"ka"}';

/** Has the page's connection go through the measurement; waits until the page is rung. */
const ringByClock = (page: Page): Promise<void> =>
  new Promise((resolve, reject) => {
    page
      .routeWebSocket(/\/doorbell$/, (route) => {
        bells.set(page, route);
        route.connectToServer().onMessage((message) => {
          route.send(message);
          if (String(message).includes('subscribe_success')) resolve();
        });
      })
      .catch(reject);
  });

/** Waits until a page that is about to open is rung. */
export const ringsOn = async (page: Page): Promise<void> => {
  const socket = await page.waitForEvent('websocket');
  await socket.waitForEvent('framereceived', ({ payload }) => String(payload).includes('subscribe_success'));
};

/**
 * The inbox with an open conversation in a page whose clock the caller moves; the open conversation is the first customer's. `isRung`: by the
 * doorbell.
 */
export const openDesk = async (swb: Console, { isRung = false } = {}): Promise<Page> => {
  await swb.write(customer(0), nameOf(0), 'Good morning');
  await swb.product.idle();
  const page = await swb.open();
  if (!isRung) await withoutDoorbell(page);
  const rings = isRung ? ringByClock(page) : undefined;
  await page.clock.install();
  await page.goto(swb.product.baseUrl);
  await page.getByRole('button', { name: 'Member' }).first().click();
  await page
    .locator('.conversation')
    .filter({ hasText: nameOf(0) })
    .click();
  await page.locator('.message').first().waitFor();
  await rings;
  await page.clock.pauseAt(new Date((await page.evaluate(() => Date.now())) + 1_000));
  return page;
};

/**
 * Lets minutes pass on the page's clock while customers write at a pace, and counts the calls of the page. Each message is whole before its
 * time goes on: the machine's own slowness neither adds calls nor saves any.
 */
export const spend = async (swb: Console, page: Page, minutes: number, pace: Pace): Promise<Stretch> => {
  const byPath: Record<string, number> = {};
  const open = new Set<Request>();
  const isCall = (request: Request): boolean => new URL(request.url()).pathname.startsWith('/api/');
  const began = (request: Request): void => {
    if (!isCall(request)) return;
    open.add(request);
    const path = `${request.method()} ${new URL(request.url()).pathname.replaceAll(/\d+/g, '{id}')}`;
    byPath[path] = (byPath[path] ?? 0) + 1;
  };
  const ended = (request: Request): void => void open.delete(request);
  page.on('request', began).on('requestfinished', ended).on('requestfailed', ended);
  try {
    const everySteps = messagesAMinute[pace] === 0 ? Number.POSITIVE_INFINITY : 60_000 / messagesAMinute[pace] / stepMs;
    for (let step = 1, nth = 0; step <= (minutes * 60_000) / stepMs; step++) {
      if (step % everySteps === 0) {
        nth++;
        await swb.write(customer(nth % customers), nameOf(nth % customers), `Question ${nth}`);
        await swb.product.idle();
      }
      if (step % (60_000 / stepMs) === 0) bells.get(page)?.send(ping);
      await page.clock.runFor(stepMs);
      while (open.size > 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
  } finally {
    page.off('request', began).off('requestfinished', ended).off('requestfailed', ended);
  }
  return { minutes, calls: Object.values(byPath).reduce((sum, each) => sum + each, 0), byPath };
};

/** Milliseconds from the provider's post of each message to its text in the list of the inbox, in order of length. */
export const shownAfter = async (swb: Console, page: Page, messages: number, pauseMs: () => number): Promise<number[]> => {
  const taken: number[] = [];
  for (let nth = 0; nth < messages; nth++) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs()));
    const text = `Rung ${crypto.randomUUID().slice(0, 8)}`;
    const began = performance.now();
    await Promise.all([swb.write(customer(nth % 10), nameOf(nth % 10), text), row(page, text).waitFor()]);
    taken.push(performance.now() - began);
  }
  return taken.toSorted((a, b) => a - b);
};

/** The value that so many of the sorted ones are not above. */
export const share = (sorted: readonly number[], of: number): number => sorted[Math.ceil(sorted.length * of) - 1] ?? Number.NaN;

/** So many customers write in turn. */
const customers = 20;
const customer = (nth: number): string => String(4_915_170_000_000 + nth);
const nameOf = (nth: number): string => `Customer ${nth}`;
