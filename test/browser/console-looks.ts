import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../support/console.ts';
import { overflows, violations } from '../support/looks.ts';

let swb: Console;

const names = ['Ada Lovelace', 'محمد عبد الرحمن الفارسي', 'Maximiliane-Charlotte von Hohenstein-Wittelsbach zu Unterammergau'];

beforeAll(async () => {
  swb = await startConsole();
  for (const [index, name] of names.entries())
    await swb.write(`491760000000${index}`, name, index === 1 ? 'مرحبا، أين طلبي رقم A-1001؟' : 'Hello, '.repeat(30));
  await swb.product.idle();
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const screens: readonly { name: string; show: (page: Page) => Promise<void> }[] = [
  { name: 'inbox', show: (page) => page.locator('.conversation').first().waitFor() },
  {
    name: 'thread',
    show: async (page) => {
      await page.locator('.conversation').first().click();
      await page.locator('.message').first().waitFor();
    },
  },
  {
    name: 'templates',
    show: async (page) => {
      await page.locator('.thread-header h2').click();
      await page.keyboard.press('Escape');
      await page.locator('.conversation, .thread').first().waitFor();
      if ((await page.locator('.thread-header').count()) === 0) await page.locator('.conversation').first().click();
      await page.locator('.composer').waitFor();
      await page.locator('.tools .button').nth(1).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'palette',
    show: async (page) => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.getByRole('listbox').waitFor();
    },
  },
];

describe.each([
  { width: 1400, colorScheme: 'light', locale: 'en-GB' },
  { width: 1400, colorScheme: 'dark', locale: 'de-DE' },
  { width: 360, colorScheme: 'light', locale: 'de-DE' },
  { width: 360, colorScheme: 'dark', locale: 'ar-EG' },
  { width: 1400, colorScheme: 'light', locale: 'ar-EG' },
] as const)('$width px, $colorScheme, $locale', ({ width, colorScheme, locale }) => {
  test('no screen has a serious violation, and nothing overlaps or leaves the page', async () => {
    const page = await swb.open({ viewport: { width, height: 800 }, colorScheme, locale });
    await page.goto(swb.product.baseUrl);
    await page.locator('.tile').first().waitFor();
    expect(await violations(page), 'sign-in').toEqual([]);
    expect(await overflows(page), 'sign-in').toEqual([]);
    await page.locator('.tile').first().click();
    for (const { name, show } of screens) {
      await show(page);
      // fades in
      await page.waitForTimeout(300);
      expect(await violations(page), name).toEqual([]);
      expect(await overflows(page), name).toEqual([]);
    }
    expect(await page.evaluate('document.documentElement.dir')).toBe(locale.startsWith('ar') ? 'rtl' : 'ltr');
    await page.context().close();
  }, 120_000);
});

test('the browser complains of nothing, and nothing is asked of another host', () => {
  expect(swb.complaints).toEqual([]);
  expect(swb.foreign).toEqual([]);
});
