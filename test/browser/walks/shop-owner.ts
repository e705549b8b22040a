import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { findings } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/**
 * A shop owner's first day: the store app is installed by its link and connected to the company, nothing is pasted; its catalog is imported, a
 * category and a product are added, a message is chosen with its preview, a refused post is found, and the store is disconnected.
 */
let swb: Console;
let page: Page;
let company: Console['product']['demo']['companies'][number];
const shop = 'walk-lamps.myshopify.com';
beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  const { product } = swb;
  const found = product.demo.companies.find(({ id }) => id === product.companyId);
  if (!found) throw new Error('There is no demo company.');
  company = found;
  page = await swb.open();
  page.setDefaultTimeout(20_000);
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const local = async (path: string, body?: unknown): Promise<unknown> => {
  const change = { method: 'PUT', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const answer = await fetch(`${swb.product.baseUrl}/_local/storeplatform/${path}`, body === undefined ? undefined : change);
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { data: unknown }).data;
};
const dialog = (): Locator => page.getByRole('dialog');
const press = (name: string, within: Page | Locator = page): Promise<void> =>
  within.getByRole('button', { name, exact: true }).first().click();
const goTo = (name: string): Promise<void> => page.locator('.subnav').getByRole('link', { name, exact: true }).click();
const store = (): Locator => page.getByRole('listitem', { name: shop });

describe('the store app', () => {
  test('leads the merchant to sign in and to confirm the company, with nothing to type', async () => {
    await local('shops', {
      shop,
      currency: 'EUR',
      products: [{ legacyResourceId: '71', title: 'Walk lamp' }],
      orders: [{ legacyResourceId: '72' }],
    });
    const { start_url: start } = (await local(`install?shop=${shop}`)) as { start_url: string };
    await page.goto(start, { timeout: 120_000, waitUntil: 'domcontentloaded' });
    await page
      .getByRole('button', { name: 'Owner' })
      .nth(swb.product.demo.companies.findIndex(({ id }) => id === company.id))
      .click();
    await page.getByRole('heading', { name: `${shop} waits to be connected` }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/console/shop/connections');
    expect(await findings(page)).toEqual([]);
    await press(`Connect to ${company.name}`);
    await store().getByText('connected', { exact: true }).waitFor();
    await store().getByText('1 product and 1 order imported.').waitFor({ timeout: 150_000 });
    expect(await findings(page)).toEqual([]);
  });
});

describe('the catalog', () => {
  test('has what was imported, and takes a category and a product of its own', async () => {
    await goTo('Categories');
    await press('New category');
    await dialog().getByLabel('Name', { exact: true }).fill('Tea Röom');
    await press('Save', dialog());
    await page.getByRole('row').filter({ hasText: 'tea-room' }).waitFor();
    await goTo('Products');
    await page.getByRole('row').filter({ hasText: 'Walk lamp' }).waitFor();
    await press('New product');
    await dialog().getByLabel('Name', { exact: true }).fill('Walk teapot');
    await dialog().getByLabel('Price', { exact: true }).fill('24,50');
    await dialog().getByLabel('In stock').fill('7');
    await dialog().getByLabel('Category').selectOption({ label: 'Tea Röom' });
    expect(await findings(page)).toEqual([]);
    await press('Save', dialog());
    await page.getByRole('row').filter({ hasText: 'Walk teapot' }).getByText('€24.50').waitFor();
    await page.locator('.filters').getByLabel('Category').selectOption({ label: 'Tea Röom' });
    await page.getByRole('row').filter({ hasText: 'Walk lamp' }).waitFor({ state: 'detached' });
    await press('Walk teapot');
    await dialog().getByLabel('In stock').fill('0');
    await press('Save', dialog());
    await page.locator('.out-of-stock').waitFor();
  });
});

describe('messages', () => {
  test('are sentences; one is chosen beside its preview, and stops', async () => {
    await goTo('Messages');
    const sentence = page.getByRole('listitem').filter({ hasText: 'When an order is refunded' });
    await sentence.getByText('nothing is sent').waitFor();
    await sentence.getByRole('button').click();
    await dialog().getByLabel('Template').selectOption({ index: 1 });
    for (const select of await dialog().locator('.pair select').all()) await select.selectOption('customer_name');
    for (const field of await dialog().locator('.pair input').all()) await field.fill('there');
    await dialog().locator('.template-preview').waitFor();
    expect(await findings(page)).toEqual([]);
    await press('Save', dialog());
    await sentence.getByText('the customer gets').waitFor();
    await sentence.getByRole('button').click();
    await press('Send nothing', dialog());
    await sentence.getByText('nothing is sent').waitFor();
    await page.getByLabel('Send no reminders of carts at night').check();
    await page.getByLabel('From').fill('22:00');
    await press('Save');
    await page.getByText('Saved').first().waitFor();
    await page.getByLabel('Send no reminders of carts at night').uncheck();
    await press('Save');
  });
});

describe('what came in', () => {
  test('says which post was refused and for which field; requests under privacy law have a page', async () => {
    const answer = await fetch(`${swb.product.baseUrl}/shop/webhooks/custom/${company.shop.erp_token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ event: 'order.placed', data: { order_number: 'W-1' } }),
    });
    expect(answer.status).toBe(422);
    await goTo('Incoming');
    await page.locator('.filters').getByLabel('What became of it').selectOption({ label: 'refused' });
    await page.getByText('fields: data.customer_phone').first().waitFor();
    expect(await findings(page)).toEqual([]);
    await goTo('Privacy requests');
    await page.getByRole('heading', { name: 'Privacy requests' }).waitFor();
    expect(await findings(page)).toEqual([]);
  });
});

describe('a store', () => {
  test('is disconnected once that is confirmed', async () => {
    await goTo('Connections');
    await press('Add a source');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await press('Disconnect', store());
    await press('Disconnect', dialog());
    await store().getByText('disconnected').waitFor();
    expect(swb.complaints).toEqual([]);
  });
});
