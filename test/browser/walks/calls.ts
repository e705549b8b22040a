import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { openDesk, perHour, spend } from '../../support/console-hour.ts';
import { row } from '../../support/inbox-page.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** How often an open console calls, on a clock that the test moves; `npm run bench -- console-hour` has whole hours. */
let swb: Console;
let page: Page;
beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  page = await openDesk(swb);
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

test('calls less and less while nothing happens, nearly always for changes alone', async () => {
  await spend(swb, page, 4, 'quiet');
  const quiet = await spend(swb, page, 3, 'quiet');
  expect(perHour(quiet), JSON.stringify(quiet.byPath)).toBeLessThan(0.15 * 3_900);
});

test('calls no more than every four seconds however many customers write, and shows all that they wrote', async () => {
  // what it saved up while nothing happened, from its next quiet look on
  await spend(swb, page, 1.25, 'twenty a minute');
  const busy = await spend(swb, page, 1, 'twenty a minute');
  expect(perHour(busy), JSON.stringify(busy.byPath)).toBeLessThan(0.27 * 3_900);
  // the last of twenty, within the next look
  await spend(swb, page, 4 / 60, 'quiet');
  for (const nth of [18, 19]) await row(page, `Question ${nth}`).waitFor();
  expect(swb.complaints).toEqual([]);
});
