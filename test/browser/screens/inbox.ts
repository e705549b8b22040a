import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { findings, views } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

let swb: Console;

const names = ['Ada Lovelace', 'محمد عبد الرحمن الفارسي', 'Maximiliane-Charlotte von Hohenstein-Wittelsbach zu Unterammergau'];

beforeAll(async () => {
  swb = await startConsole(sharedProduct(2));
  for (const [index, name] of names.entries())
    await swb.write(`491760000000${index}`, name, index === 1 ? 'مرحبا، أين طلبي رقم A-1001؟' : 'Hello, '.repeat(30));
  await swb.product.idle();
  await assignAndFail();
}, 200_000);

/** Each conversation is assigned; in the newest, which the thread shows, a message failed and the contact wrote 20 times more. */
const assignAndFail = async (): Promise<void> => {
  const { api } = swb.product;
  const [list, users] = [await api.conversations.list({ query: { limit: 10 } }), await api.users.list({ query: {} })];
  const assignee = users.data.find(({ role }) => role === 'admin');
  if (!assignee) throw new Error('The company has no admin.');
  for (const { id } of list.data) await api.conversations.update({ params: { id }, body: { assigned_to: assignee.id } });
  const newest = list.data.find(({ contact }) => contact.name === names[2]);
  if (!newest) throw new Error('The newest conversation is not there.');
  const phone = newest.contact.phone;
  await swb.product.control('PUT', 'provider/faults', { error_for: { [phone]: 131026 } });
  await api.messages.sendText({ body: { contact_id: newest.id, message: 'The invoice is on its way.' } });
  await swb.product.idle();
  await swb.product.control('PUT', 'provider/faults', {});
  for (let written = 0; written < 2; written++)
    await Promise.all(Array.from({ length: 10 }, (_, nth) => swb.write(phone, newest.contact.name ?? '', `${written * 10 + nth}`)));
  await swb.product.idle();
};
afterAll(() => swb?.[Symbol.asyncDispose]());

const dialog = (page: Page) => page.getByRole('dialog').waitFor();
const close = async (page: Page): Promise<void> => {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
};
const openInspector = async (page: Page, tab: number): Promise<void> => {
  if ((await page.locator('.inspector').count()) === 0) await page.keyboard.press('Control+i');
  await page.locator('.inspector [role=tab]').nth(tab).click();
  await page.locator('.inspector-panel').waitFor();
};
const openPhone = async (page: Page, tab: number): Promise<void> => {
  if ((await page.locator('.phone').count()) === 0) await page.keyboard.press('p');
  await page.locator('.phone [role=tab]').nth(tab).click();
};

/** Every part of the inbox and what opens over it, one after the other on one page. */
const screens: readonly { name: string; show: (page: Page) => Promise<void> }[] = [
  { name: 'inbox', show: (page) => page.locator('.conversation').first().waitFor() },
  {
    name: 'several selected',
    show: async (page) => {
      await page.keyboard.press('x');
      await page.locator('.select-row input').first().check();
      await page.locator('.bulk').waitFor();
    },
  },
  {
    name: 'phone simulator before a conversation is open',
    show: async (page) => {
      await page.keyboard.press('Escape');
      await page.locator('.bulk').waitFor({ state: 'detached' });
      await openPhone(page, 0);
      await page.locator('.phone-customer summary').click();
      await page.locator('.phone-customer form').waitFor();
    },
  },
  { name: 'phone simulator, faults', show: (page) => openPhone(page, 1) },
  { name: 'phone simulator, mails', show: (page) => openPhone(page, 2) },
  {
    name: 'thread',
    show: async (page) => {
      await page.keyboard.press('p');
      await page.locator('.phone').waitFor({ state: 'detached' });
      await page.locator('.conversation').first().click();
      await page.locator('.message').first().waitFor();
    },
  },
  {
    name: 'contact beside it',
    show: async (page) => {
      if ((await page.locator('.contact-card').count()) === 0) await page.locator('.details-button').click();
      await page.locator('.contact-body').waitFor();
    },
  },
  {
    name: 'buttons, lists and links',
    show: async (page) => {
      // where it is over the thread
      if ((page.viewportSize()?.width ?? 0) < 760) await page.locator('.contact-card header .button').click();
      await page.locator('.tools .button').nth(2).click();
      await dialog(page);
      await page.getByRole('dialog').locator('select').selectOption('list');
    },
  },
  {
    name: 'templates',
    show: async (page) => {
      await close(page);
      await page.locator('.tools .button').nth(1).click();
      await dialog(page);
      await page.locator('.template-list button').first().waitFor();
    },
  },
  {
    name: 'a template to fill in',
    show: async (page) => {
      await page.locator('.template-list button').filter({ hasText: 'order_update' }).click();
      await page.locator('.template-preview').waitFor();
    },
  },
  {
    name: 'saved replies',
    show: async (page) => {
      await close(page);
      await page.locator('.composer textarea').fill('/');
      await page.locator('.canned .button').click();
      await dialog(page);
    },
  },
  {
    name: 'phone simulator beside the thread',
    show: async (page) => {
      await close(page);
      await page.locator('.composer textarea').fill('');
      await page.locator('.composer textarea').blur();
      await openPhone(page, 0);
      await page.locator('.phone-screen').waitFor();
    },
  },
  ...['object', 'events', 'requests', 'code'].map((name, tab) => ({
    name: `inspector, ${name}`,
    show: async (page: Page) => {
      if ((await page.locator('.phone').count()) > 0) await page.keyboard.press('p');
      await openInspector(page, tab);
    },
  })),
  {
    name: 'keys',
    show: async (page) => {
      await page.keyboard.press('Control+i');
      await page.keyboard.press('?');
      await dialog(page);
    },
  },
  {
    name: 'palette',
    show: async (page) => {
      await close(page);
      await page.keyboard.press('Control+k');
      await page.getByRole('listbox').waitFor();
    },
  },
  {
    name: 'menu of the account',
    show: async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('listbox').waitFor({ state: 'detached' });
      await page.locator('.rail .account').click();
      await page.getByRole('menu').waitFor();
    },
  },
];

test.concurrent.for([...views, { width: 1400, colorScheme: 'light', locale: 'ar-EG' }] as const)(
  '$width px, $colorScheme, $locale: no screen has a serious violation or a token, and nothing overlaps or leaves the page',
  async ({ width, colorScheme, locale }) => {
    const page = await swb.open({ viewport: { width, height: 800 }, colorScheme, locale });
    await page.goto(swb.product.baseUrl);
    await page.locator('.tile').first().waitFor();
    expect(await findings(page), 'sign-in').toEqual([]);
    await page.locator('.sign-in .box > .button').last().click();
    await page.locator('.sign-in input[type=password]').waitFor();
    expect(await findings(page), 'sign-in by a token').toEqual([]);
    await page.locator('.sign-in .box > .button').last().click();
    await page.locator('.sign-in input[type=email]').fill(`${colorScheme}.${width}@birch.example`);
    await page.keyboard.press('Enter');
    await page.locator('.sign-in input[inputmode=numeric]').waitFor();
    expect(await findings(page), 'the code of an email').toEqual([]);
    // the owner of the second company
    await page.locator('.tile').nth(4).click();
    for (const { name, show } of screens) {
      await show(page);
      expect(await findings(page), name).toEqual([]);
    }
    await page.goto(`${swb.product.baseUrl}/console/nowhere`);
    await page.locator('.empty').waitFor();
    expect(await findings(page), 'a page that is not there').toEqual([]);
    expect(await page.evaluate('document.documentElement.dir')).toBe(locale.startsWith('ar') ? 'rtl' : 'ltr');
    await page.context().close();
  },
);

test('the browser complains of nothing, and nothing is asked of another host', () => {
  expect(swb.complaints).toEqual([]);
  expect(swb.foreign).toEqual([]);
});
