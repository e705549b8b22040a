import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { handsOn } from '../../support/hands.ts';
import { findings } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** Looking after orders and sign-ins: an order is found, shipped with its parcel and seen so, a request of a code is found, a block is ended. */
let swb: Console;
let page: Page;
let company: Console['product']['demo']['companies'][number];
beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  const { product } = swb;
  const found = product.demo.companies.find(({ id }) => id === product.companyId);
  if (!found) throw new Error('There is no demo company.');
  company = found;
  const answer = await fetch(`${product.baseUrl}/shop/webhooks/custom/${company.shop.erp_token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      event: 'order.placed',
      data: {
        order_number: 'W-77',
        currency: 'EUR',
        total_amount: 59,
        customer_name: 'Lena Vogt',
        customer_phone: '+4915177700009',
        items: [{ name: 'Paper lamp', quantity: 1, price: 59 }],
      },
    }),
  });
  expect(answer.status).toBe(200);
  const requested = await fetch(`${product.baseUrl}/api/v1/verification/request`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-public-key': company.verification.public_key },
    body: JSON.stringify({ identifier: '+4915177700010', purpose: 'login' }),
  });
  expect(requested.status).toBeLessThan(300);
  page = await swb.signIn();
  page.setDefaultTimeout(20_000);
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const { dialog, press } = handsOn(() => page);

describe('an order', () => {
  test('is found, shipped with its parcel after what that sends was shown, and listed as that', async () => {
    await page.goto(`${swb.product.baseUrl}/console/shop`);
    await page.getByRole('searchbox').fill('W-77');
    await page.getByRole('searchbox').press('Enter');
    await page.locator('.filters').getByLabel('Source').selectOption('checkout');
    await page.getByText('Nothing matches').waitFor();
    await page.locator('.filters').getByLabel('Source').selectOption('');
    await page.locator('.filters').getByLabel('Placed').fill('2020-01-01');
    await page.getByText('Nothing matches').waitFor();
    await page.locator('.filters').getByLabel('Placed').fill('');
    await press('W-77');
    await dialog().getByText('Paper lamp').waitFor();
    await dialog().getByLabel('Status').selectOption({ label: 'shipped' });
    await dialog()
      .getByText(/^This sends/)
      .waitFor();
    await dialog().getByLabel('Parcel', { exact: true }).fill('JJD0001');
    expect(await findings(page)).toEqual([]);
    await press('Save', dialog());
    await dialog().locator('.facts-list').getByText('JJD0001').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('row').filter({ hasText: 'W-77' }).getByText('shipped').waitFor();
  });
});

describe('a request of a code', () => {
  test('is listed without its code and its number, with how it stands', async () => {
    await page.goto(`${swb.product.baseUrl}/console/verification/requests`);
    await page.locator('.filters').getByLabel('State').selectOption('pending');
    await page.locator('.whole-row').first().waitFor();
    await page.locator('.filters').getByLabel('Day').fill('2020-01-01');
    await page.getByText('No request matches these filters').waitFor();
    await page.locator('.filters').getByLabel('Day').fill('');
    await page.locator('.whole-row').first().click();
    await dialog().getByText('login').waitFor();
    expect(await dialog().textContent()).not.toContain('77700010');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Blocks' }).click();
    await page.getByText('Nothing is blocked').waitFor();
    await page.getByRole('link', { name: 'Exceptions' }).click();
    await page.getByText('No exception', { exact: true }).waitFor();
    await press('New exception');
    await dialog().getByLabel('Value').fill('no phone');
    await press('Save', dialog());
    await dialog().locator('.problem').first().waitFor();
    await dialog().getByLabel('Value').fill('+4915177700011');
    expect(await findings(page)).toEqual([]);
    await press('Save', dialog());
    const row = page.getByRole('row').filter({ hasText: '4915177700011' });
    await row.getByText('always').waitFor();
    await row.getByRole('button').click();
    await page.getByRole('menuitem', { name: 'End the exception' }).click();
    await press('End the exception', dialog());
    await page.getByText('No exception', { exact: true }).waitFor();
    expect(swb.complaints).toEqual([]);
  });
});
