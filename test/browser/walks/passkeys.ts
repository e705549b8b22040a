import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { handsOn } from '../../support/hands.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** Passkeys in a real browser, against the bundle that the cloud runs: Chromium's own device, with its user verified. */
let swb: Console;
let page: Page;
let base: string;

beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  // browsers bind no passkey to an address in digits
  base = swb.product.baseUrl.replace('127.0.0.1', 'localhost');
  page = await swb.open();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const { press } = handsOn(() => page);
const passkeys = async (): Promise<void> => {
  await page.goto(`${base}/console/settings/sessions`);
  await press('Passkeys');
  await page.getByRole('dialog').waitFor();
};

/** A browser that was never here. The page is left first: one that finds out by itself that it is signed out loads itself again. */
const inNewBrowser = async (): Promise<void> => {
  await page.evaluate('localStorage.clear()');
  await page.goto('about:blank');
  await page.context().clearCookies();
  await page.goto(base);
};

test('a token typed into the sign-in page signs in, and is in no storage of the page', async () => {
  const token = swb.product.demo.companies[0]?.tokens.owner ?? '';
  const own = await swb.open();
  await own.goto(base);
  await own.getByRole('button', { name: 'Use a personal access token' }).click();
  await own.getByLabel('Personal access token').fill(token);
  await own.getByRole('button', { name: 'Sign in', exact: true }).click();
  await own.locator('.inbox').waitFor();
  expect(await own.evaluate<string>('JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie')).not.toContain(
    token,
  );
});

test('a user adds a passkey in the settings, signs in with it on the sign-in page, and no more once it is removed', async () => {
  await page.goto(base);
  await page.getByRole('button', { name: 'Admin' }).first().click();
  await page.locator('.inbox').waitFor();
  await passkeys();
  await press('Add a passkey');
  const remove = page.getByRole('dialog').getByRole('button', { name: /^Remove: / });
  await remove.waitFor();

  await inNewBrowser();
  await press('Use a passkey');
  await page.locator('.inbox').waitFor();
  await page.goto(`${base}/console/settings/sessions`);
  await page.getByRole('row').filter({ hasText: 'this one' }).filter({ hasText: 'passkey' }).waitFor();

  await passkeys();
  await remove.click();
  await remove.waitFor({ state: 'detached' });
  await inNewBrowser();
  await press('Use a passkey');
  await page.getByText('The passkey was not accepted', { exact: true }).first().waitFor();
  expect(await page.locator('.inbox').count()).toBe(0);
  expect(swb.complaints.filter((line) => !/status of 401/.test(line))).toEqual([]);
});
