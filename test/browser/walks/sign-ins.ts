import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Console, startConsole } from '../../support/console.ts';
import { findings } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/**
 * A day of who looks after sign-ins: a profile is made, its sentences are changed, a key is made and shown once, a program is copied, and a
 * test user is verified with a real code; and by country stands what a verified user costs: codes that led to no proof are paid for too.
 */
let swb: Console;
let page: Page;
beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  page = await swb.signIn();
  page.setDefaultTimeout(20_000);
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const dialog = (): Locator => page.getByRole('dialog');
const press = (name: string, within: Page | Locator = page): Promise<void> =>
  within.getByRole('button', { name, exact: true }).first().click();
const codeIn = async (to: string): Promise<string> => {
  const answer = await fetch(`${swb.product.baseUrl}/_local/emails`);
  const text = await answer.text();
  const mail = (JSON.parse(text) as { data: { to?: unknown }[] }).data.find((each) => JSON.stringify(each).includes(to));
  return /\b(\d{7})\b/.exec(JSON.stringify(mail ?? ''))?.[1] ?? '';
};

describe('a profile', () => {
  test('is made, and its sentences take other numbers', async () => {
    await page.goto(`${swb.product.baseUrl}/console/verification/profiles`);
    await press('New profile');
    await dialog().getByLabel('Name').fill('Walk app');
    await press('Save', dialog());
    await page.getByRole('heading', { name: 'Walk app' }).waitFor();
    await page.getByLabel('Code', { exact: true }).first().fill('7');
    await page.getByLabel('Sent first by').selectOption({ label: 'Email' });
    expect(await findings(page)).toEqual([]);
    await press('Save');
    await page.getByText('Saved').first().waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Walk app' }).waitFor();
    expect(await page.getByLabel('Code', { exact: true }).first().inputValue()).toBe('7');
  });

  test('gets a key, which is shown once, and a program with it', async () => {
    await press('New key');
    await dialog().getByLabel('Name').fill('Web');
    await press('Save', dialog());
    await dialog().getByText(/^sk_/).waitFor();
    for (const button of await dialog().locator('.secret-box button').all()) await button.click();
    await press('I have stored it', dialog());
    await page.locator('.keys').getByText('Web').waitFor();
    await page.getByLabel('In your program').first().selectOption('Python');
    expect(await page.locator('pre.code').textContent()).toMatch(/import json[\s\S]+pk_/);
    expect(await page.content()).not.toMatch(/sk_[A-Za-z0-9]{20}/);
    expect(await findings(page)).toEqual([]);
  });

  test('verifies a test user with the code that arrived, and not with another', { timeout: 200_000 }, async () => {
    await page.getByLabel('To', { exact: true }).fill('walker@example.com');
    await press('Send a code');
    const app = page.getByRole('group', { name: 'Your app' });
    await app.getByLabel('Code').fill('0000000');
    await press('Continue', app);
    await app.getByText('That is not the code.').waitFor();
    await expect.poll(() => codeIn('walker@example.com'), { timeout: 120_000 }).toMatch(/^\d{7}$/);
    await app.getByLabel('Code').fill(await codeIn('walker@example.com'));
    await press('Continue', app);
    await app.getByText('Verified').waitFor();
    expect(await findings(page)).toEqual([]);
  });

  test('is paused, and a key is ended', async () => {
    await press('Pause');
    await page.locator('.page-header').getByText('paused').waitFor();
    await press('Resume');
    await page.getByRole('button', { name: 'Actions: Web' }).click();
    await page.getByRole('menuitem', { name: 'End' }).click();
    await press('End', dialog());
    await page.locator('.keys').getByText('Ended').waitFor();
    expect(swb.complaints).toEqual([]);
  });
});

const call = async (path: string, body: object): Promise<unknown> => {
  const { product } = swb;
  const company = product.demo.companies.find(({ id }) => id === product.companyId);
  const answer = await fetch(`${product.baseUrl}/api/v1/verification/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-public-key': company?.verification.public_key ?? '' },
    body: JSON.stringify(body),
  });
  return answer.json();
};
const request = async (phone: string): Promise<{ request_id: string; code: string }> => {
  const { request_id } = z.object({ request_id: z.string() }).parse(await call('request', { identifier: phone, purpose: 'login' }));
  const sent = async (): Promise<string | undefined> => {
    const { raw } = await swb.product.control('GET', `provider/messages?phone=${phone.slice(1)}`);
    return /"text":\s*"(\d{4,8})"/.exec(raw)?.[1];
  };
  await expect.poll(sent, { timeout: 60_000 }).toBeDefined();
  return { request_id, code: (await sent()) ?? '' };
};

describe('the cost per verified user', () => {
  test('is what the codes to a country cost for each user who gave one, and stands in the file too', async () => {
    const proved = await request('+436641234501');
    await call('verify', proved);
    const failed = await request('+436641234502');
    const wrong = { request_id: failed.request_id, code: failed.code.replace(/.$/, (last) => (last === '0' ? '1' : '0')) };
    for (let attempt = 0; attempt < 5; attempt++) await call('verify', wrong);
    const counted = async (): Promise<number | undefined> => {
      const { data } = await swb.product.api.spend.get({ query: { by: 'country', only: 'codes' } });
      return data.rows.find(({ key }) => key === 'AT')?.charged;
    };
    await expect.poll(counted, { timeout: 60_000 }).toBe(2);

    await page.goto(`${swb.product.baseUrl}/console/verification`);
    const row = page.getByRole('table', { name: 'WhatsApp by country' }).getByRole('row').filter({ hasText: 'Austria' });
    await row.waitFor();
    // by the simulator's card: US$0.022 a code
    const columns = await page.getByRole('table', { name: 'WhatsApp by country' }).getByRole('columnheader').allTextContents();
    expect(columns).toEqual(['Country', 'Verified users', 'Cost per verified user', 'Requests', 'Codes sent', 'Cost of codes']);
    expect(await row.getByRole('cell').allTextContents()).toEqual(['Austria', '1', 'US$0.044', '2', '2', 'US$0.04']);
    expect(await findings(page)).toEqual([]);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV by country' }).click();
    const chunks: Buffer[] = [];
    for await (const chunk of await (await saved).createReadStream()) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString('utf8')).toMatch(/Austria,1,0\.044 USD,2,2,0\.044 USD/);

    const why = page.getByRole('table', { name: 'Why requests failed or were blocked' });
    const tried = why.getByRole('row').filter({ hasText: 'too many wrong codes' }).getByRole('cell');
    expect(await tried.allTextContents()).toEqual(['too many wrong codes', '1', '100%', 'failed', 'WhatsApp']);
    await why.getByRole('link', { name: 'too many wrong codes' }).click();
    await page.getByRole('heading', { name: 'Requests' }).waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('failed');
    expect(swb.complaints).toEqual([]);
  });

  test('whose phone was lost has to give a code again, once that is confirmed with the phone', async () => {
    await page.goto(`${swb.product.baseUrl}/console/verification/requests`);
    await press('End trust');
    const end = dialog().getByRole('button', { name: 'End trust' });
    // without a phone it would be that of all
    expect(await end.isDisabled()).toBe(true);
    await dialog().getByLabel('Phone or email').fill('no phone');
    await end.click();
    await dialog().getByText('This is no phone number. Write it with its country code').waitFor();
    await dialog().getByLabel('Phone or email').fill('+436641234501');
    expect(await findings(page)).toEqual([]);
    await end.click();
    await page.getByText('The trust is ended: the next request sends a code.').waitFor();
    await dialog().waitFor({ state: 'detached' });
    expect(swb.complaints.filter((each) => !each.includes('422'))).toEqual([]);
  });
});
