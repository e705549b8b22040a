import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { handsOn } from '../../support/hands.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** A user who came by a token proves in place to be there, makes what lasts, and signs out everywhere. */
let swb: Console;
let page: Page;
const email = 'proof@alder.example';

beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  page = await swb.open();
  const { data: user } = await swb.product.api.createUser({ body: { name: 'Proof', email, role: 'admin' } });
  const { data: token } = await swb.product.api.createToken({ body: { user_id: user.id, name: 'to sign in with' } });
  await page.goto(swb.product.baseUrl);
  await page.getByRole('button', { name: 'Use a personal access token' }).click();
  await page.getByLabel('Personal access token').fill(token.secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('.inbox').waitFor();
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const { dialog, press } = handsOn(() => page);
const codeSent = async (): Promise<string> => {
  const { body } = await swb.product.control('GET', 'emails');
  const sent = (body as { data: unknown[] }).data.map((each) => JSON.stringify(each)).filter((each) => each.includes(email));
  return /(\d{6,10}) is your verification code/.exec(sent.at(-1) ?? '')?.[1] ?? '';
};

test('a token is made after a proof in place, by a code to the own address; the form stays, and a closed dialog leaves the refusal', async () => {
  await page.goto(`${swb.product.baseUrl}/console/developers/tokens`);
  await press('New token');
  await dialog('New token').getByLabel('What is it for?').fill('after a proof');
  await dialog('New token').getByLabel('profile:read', { exact: true }).check();
  await press('Create token', dialog('New token'));
  await press('Close', dialog('Show that it is you'));
  await dialog('New token').getByText('You have not shown that it is you').first().waitFor();
  await press('Create token', dialog('New token'));
  await press('Send me a code', dialog('Show that it is you'));
  await expect.poll(codeSent, { timeout: 90_000 }).toMatch(/^\d{8}$/);
  await dialog('Show that it is you')
    .getByLabel('Code of the email')
    .fill(await codeSent());
  await press('Confirm', dialog('Show that it is you'));
  const secret = (await page.locator('.secret-box code').first().textContent()) ?? '';
  expect(secret).toMatch(/^swb_\w{20,}$/);
  expect((await swb.product.http({ method: 'GET', path: '/api/v1/me', token: secret })).status).toBe(200);
  await page.getByRole('dialog').locator('.secret-box button').first().click();
  await press('I have stored it');

  await page.goto(`${swb.product.baseUrl}/console/settings/sessions`);
  await press('Sign out everywhere');
  await press('Sign out everywhere', page.getByRole('dialog'));
  await page.locator('.sign-in').waitFor();
  expect((await swb.product.http({ method: 'GET', path: '/api/v1/me', token: secret })).status).toBe(401);
  await page.goto(`${swb.product.baseUrl}/console/settings/sessions`);
  await page.locator('.sign-in').waitFor();
  expect(swb.complaints.filter((line) => !/status of 40[13]/.test(line))).toEqual([]);
  expect(swb.foreign).toEqual([]);
}, 240_000);
