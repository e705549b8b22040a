import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { openThread } from '../../support/inbox-page.ts';
import { findings } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** Money: a card is compared and holds, a price is found, and what was sent is seen with what it cost. */
let swb: Console;
let page: Page;
beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  const { api } = swb.product;
  await api.messages.sendTemplate({ body: { phone: '+4915177700021', template_name: 'order_update', variables: ['Lena', 'W-77'] } });
  page = await swb.signIn();
  page.setDefaultTimeout(20_000);
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const dialog = (): Locator => page.getByRole('dialog');
const card = {
  currency: 'EUR',
  effective_from: '2020-01-01',
  markets: [
    {
      market: 'Germany',
      countries: ['DE'],
      marketing: '0.1131',
      utility: '0.0456',
      authentication: '0.0456',
      authentication_international: null,
      service: '0.0456',
    },
  ],
};

describe('money', () => {
  test('a card shows what it changes before it holds, and then a price is found', async () => {
    await page.goto(`${swb.product.baseUrl}/console/spend/rates`);
    await page.getByRole('button', { name: 'Import a card' }).click();
    await dialog().getByLabel('Card as JSON').fill(JSON.stringify(card));
    await dialog().getByRole('button', { name: 'Show what changes' }).click();
    await dialog().getByRole('cell', { name: '0.1131' }).first().waitFor();
    expect(await findings(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Let it hold' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: 'Yours' }).first().waitFor();
    await page.getByLabel('Phone', { exact: true }).fill('+4915177700021');
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByText('€0.1131').first().waitFor();
    expect(await findings(page)).toEqual([]);
  });

  test('what was sent is seen with what it cost, and a row leads to what it is about', async () => {
    await expect
      .poll(
        async () => {
          const { data } = await swb.product.api.spend.get({ query: { by: 'country' } });
          return data.totals.charged;
        },
        { timeout: 60_000 },
      )
      .toBeGreaterThan(0);
    await page.goto(`${swb.product.baseUrl}/console/spend`);
    await page.getByRole('cell', { name: 'Germany' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Number' }).click();
    await page.getByRole('table').getByRole('link').first().click();
    await page.waitForURL(/settings\/numbers\/\d+/);
  });

  test('the bill of the provider stands beside our figure, and is compared again when that is wanted', async () => {
    await page.getByRole('link', { name: 'Spend' }).first().click();
    await page.getByRole('link', { name: 'Provider’s bill' }).click();
    // what other walks send to this product stands in one of both figures alone for a time; that they agree to the micro-unit is test/spend/bill.test.ts's
    await expect
      .poll(
        async () => {
          await page.getByRole('button', { name: 'Compare again' }).click();
          // one text: where it fails, it shows what both figures are
          return `| ${(await page.getByRole('cell').allInnerTexts()).map((cell) => cell.trim()).join(' | ')} |`;
        },
        { timeout: 60_000, interval: 1_000 },
      )
      .toMatch(/\| [+−-]?[\d.,]+% \|/);
    expect(await findings(page)).toEqual([]);
    const compared = page.waitForResponse((response) => response.url().endsWith('/spend/bill'));
    await page.getByRole('button', { name: 'Compare again' }).click();
    expect((await compared).status()).toBe(200);
    expect(swb.complaints).toEqual([]);
  });

  test('a template is chosen with its price to this customer, and is free where it is', async () => {
    await swb.write('4915177700022', 'Nina Falk', 'Hello');
    await page.goto(`${swb.product.baseUrl}/console/inbox`);
    await openThread(page, 'Nina Falk');
    await page.getByRole('button', { name: /^Templates/ }).click();
    const templates = dialog().getByRole('listitem');
    await templates.filter({ hasText: 'marketing' }).filter({ hasText: '€0.1131' }).first().waitFor();
    await templates.filter({ hasText: 'utility' }).filter({ hasText: 'free' }).first().waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });
});
