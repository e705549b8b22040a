import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../support/console.ts';
import { overflows, violations } from '../support/looks.ts';

let swb: Console;
const longName = 'Maximiliane-Charlotte von Hohenstein-Wittelsbach zu Unterammergau';

beforeAll(async () => {
  swb = await startConsole();
  const { api } = swb.product;
  await api.createUser({ body: { name: longName, email: `${'long.name.'.repeat(5)}person@example.com`, role: 'admin' } });
  await api.createToken({ body: { name: longName, scopes: ['contacts:read'], networks: ['203.0.113.0/24'] } });
  await api.createField({ body: { key: 'size', name: longName, type: 'select', options: ['S', 'M', 'L'] } });
  const { data } = await api.createWebhook({ body: { url: `http://127.0.0.1:9/${'a-long-path/'.repeat(8)}`, events: ['*'] } });
  await api.testWebhook({ params: { id: data.id } });
  await api.sendTemplate({ body: { phone: '+4915112345678', template_name: 'hello_world', template_language: 'en_US' } });
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const openFirst = async (page: Page): Promise<void> => {
  await page.locator('.row-link').first().click();
  await page.getByRole('dialog').waitFor();
};

const openNew = async (page: Page): Promise<void> => {
  await page.locator('.page-header .primary').click();
  await page.getByRole('dialog').waitFor();
};

/** Every screen of developers and settings, and what opens on it. */
const screens: readonly { path: string; open?: (page: Page) => Promise<void> }[] = [
  { path: '/developers' },
  { path: '/developers?types=order.*' },
  { path: '/developers', open: openFirst },
  { path: '/developers/deliveries' },
  { path: '/developers/deliveries', open: openFirst },
  { path: '/developers/webhooks' },
  { path: '/developers/webhooks', open: openNew },
  { path: '/developers/webhooks/1' },
  { path: '/developers/tokens' },
  { path: '/developers/tokens', open: openNew },
  { path: '/developers/addresses' },
  { path: '/developers/addresses', open: openNew },
  { path: '/developers/signatures' },
  { path: '/developers/reference?operation=createToken' },
  { path: '/settings' },
  { path: '/settings/people' },
  { path: '/settings/people', open: openNew },
  { path: '/settings/numbers' },
  { path: '/settings/numbers/1' },
  { path: '/settings/numbers/connect' },
  { path: '/settings/keywords' },
  { path: '/settings/fields' },
  { path: '/settings/fields', open: openNew },
  { path: '/settings/usage' },
  { path: '/settings/audit' },
  { path: '/settings/audit', open: openFirst },
  { path: '/settings/sessions' },
  { path: '/settings/preferences' },
];

describe.each([
  { width: 1400, colorScheme: 'light', locale: 'en-GB' },
  { width: 1400, colorScheme: 'dark', locale: 'de-DE' },
  { width: 360, colorScheme: 'light', locale: 'de-DE' },
  { width: 360, colorScheme: 'dark', locale: 'ar-EG' },
] as const)('developers and settings at $width px, $colorScheme, $locale', ({ width, colorScheme, locale }) => {
  test('have no serious violation, and nothing overlaps or leaves the page', async () => {
    const page = await swb.signIn(locale === 'de-DE' ? 'Inhaber' : 'Owner', { viewport: { width, height: 800 }, colorScheme, locale });
    for (const { path, open } of screens) {
      await page.goto(`${swb.product.baseUrl}/console${path}`);
      await page.locator('.page').waitFor();
      await page.locator('.page .skeleton').first().waitFor({ state: 'detached' });
      await open?.(page);
      const name = `${path}${open ? ', opened' : ''}`;
      expect(await violations(page), name).toEqual([]);
      expect(await overflows(page), name).toEqual([]);
    }
    await page.context().close();
  }, 240_000);
});

test('the browser complains of nothing, and nothing is asked of another host', () => {
  expect(swb.complaints).toEqual([]);
  expect(swb.foreign).toEqual([]);
});
