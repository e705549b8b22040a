import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../support/console.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let swb: Console;

const names = ['Ada Lovelace', 'محمد عبد الرحمن الفارسي', 'Maximiliane-Charlotte von Hohenstein-Wittelsbach zu Unterammergau'];

beforeAll(async () => {
  swb = await startConsole();
  for (const [index, name] of names.entries())
    await swb.write(`491760000000${index}`, name, index === 1 ? 'مرحبا، أين طلبي رقم A-1001؟' : 'Hello, '.repeat(30));
  await swb.product.idle();
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

interface Violation {
  id: string;
  impact: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** Serious and critical violations of WCAG 2.2 A and AA, by axe-core. */
const violations = async (page: Page): Promise<string[]> => {
  // by the inspector's own way: the page's policy lets no other script in
  const found = (await page.evaluate(
    `${axe}; axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] })`,
  )) as { violations: Violation[] };
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`)
          .join(' | ')
          .slice(0, 600)}`,
    );
};

/** Whether the page is wider than its window, and buttons and names whose text runs out of them without being cut on purpose. */
const overflows = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const found = document.documentElement.scrollWidth > innerWidth ? ['the page is ' + document.documentElement.scrollWidth + ' wide'] : [];
    for (const element of document.querySelectorAll('button, a, h1, h2, .badge, label')) {
      const { overflowX } = getComputedStyle(element);
      // a count stands over the edge of its icon
      if (element.matches('.rail > a')) continue;
      if (element.clientWidth > 0 && overflowX === 'visible' && element.scrollWidth > element.clientWidth + 1)
        found.push((element.textContent || element.ariaLabel || '').trim().slice(0, 60) + ' ' + element.className);
      const box = element.getBoundingClientRect();
      if (box.width > 0 && (box.right < 0 || box.left > innerWidth)) continue;
      if (box.width > 0 && (box.left < -1 || box.right > innerWidth + 1) && !element.closest('.views, .tabs, .subnav, .table-wrap'))
        found.push('outside: ' + (element.textContent || '').trim().slice(0, 60) + ' ' + element.className);
    }
    return found;
  })()`);

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
