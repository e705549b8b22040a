import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { composer, customerOf, messageOf, openThread, row } from '../../support/inbox-page.ts';
import { findings } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** States that a walk does not come through by itself: each is made, and looked at. */
let swb: Console;
let page: Page;
const customer = { phone: '4917811110001', name: 'Emmy Noether' };
const { acceptedTexts } = customerOf(() => swb);

beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  await swb.write(customer.phone, customer.name, 'Is it ready?');
  page = await swb.signIn();
  await openThread(page, customer.name);
}, 200_000);
afterEach(() => swb.product.control('PUT', 'provider/faults', {}));
afterAll(() => swb?.[Symbol.asyncDispose]());

test('says who assigned a conversation that was read before, and never that the assignment was taken back', async () => {
  await composer(page).fill('Tomorrow');
  await page.keyboard.press('Enter');
  await messageOf(page, 'Tomorrow').getByLabel('Read', { exact: true }).waitFor();
  await expect.poll(() => row(page, customer.name).locator('.badge').count()).toBe(0);
  const other = await swb.signIn('Admin');
  await openThread(other, customer.name);
  await other.getByRole('button', { name: 'Assign: Not assigned' }).click();
  await other.getByRole('menuitem', { name: 'Demo Owner' }).click();
  await page.locator('.system-line').filter({ hasText: 'Demo Admin assigned you' }).waitFor();
  expect(await page.getByText('took the assignment back').count()).toBe(0);
  await other.locator('.system-line').filter({ hasText: 'You assigned Demo Owner' }).waitFor();
  await other.context().close();
});

test('a message that the provider puts off waits, is nowhere said not to be delivered, and goes once', async () => {
  const message = messageOf(page, 'Put off for a moment');
  await swb.product.control('PUT', 'provider/faults', { throttle: 1 });
  await composer(page).fill('Put off for a moment');
  await page.keyboard.press('Enter');
  await message.getByText(/^Waiting: The number is at the limit of WhatsApp for now\. Next try /).waitFor();
  expect(await message.getByText('Not delivered').count()).toBe(0);
  await swb.product.control('PUT', 'provider/faults', {});
  await swb.product.control('POST', 'clock', { advance_seconds: 120 });
  await message.getByLabel('Read', { exact: true }).waitFor();
  expect(await acceptedTexts(customer.phone, 'Put off for a moment')).toBe(1);
});

test('the header of an assigned conversation overlaps nothing at the widths between a phone and a desk', async () => {
  for (const width of [760, 768, 900, 1000]) {
    await page.setViewportSize({ width, height: 860 });
    expect(await findings(page), `${width}`).toEqual([]);
  }
  await page.setViewportSize({ width: 1400, height: 860 });
});

test('a contact is blocked after a question and unblocked by Undo or the menu, and the header says how it is', async () => {
  const header = page.locator('.thread-header');
  const choose = async (entry: string): Promise<void> => {
    await header.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: entry, exact: true }).click();
  };
  const block = async (): Promise<void> => {
    await choose('Block');
    const question = page.getByRole('dialog', { name: `Block ${customer.name}?` });
    expect(await findings(page)).toEqual([]);
    await question.getByRole('button', { name: 'Block', exact: true }).click();
    await header.getByText('Blocked', { exact: true }).waitFor();
  };
  await block();
  await page.getByRole('button', { name: 'Undo' }).click();
  await header.getByText('Blocked', { exact: true }).waitFor({ state: 'detached' });
  await block();
  await composer(page).fill('Does this arrive?');
  await page.keyboard.press('Enter');
  await page.getByText('The contact is blocked').first().waitFor();
  expect(await acceptedTexts(customer.phone, 'Does this arrive?')).toBe(0);
  await choose('Unblock');
  await header.getByText('Blocked', { exact: true }).waitFor({ state: 'detached' });
});

test('saved replies are rows whose texts and buttons are seen', async () => {
  for (const shortcut of ['late', 'thanks'])
    await swb.product.api.cannedReplies.set({ params: { shortcut }, body: { text: `The words behind ${shortcut}` } });
  await composer(page).fill('/');
  await page.locator('.canned .button').click();
  const replies = page.getByRole('dialog');
  await replies.getByText('The words behind thanks').waitFor();
  expect(await findings(page)).toEqual([]);
  for (const shortcut of ['late', 'thanks']) {
    const shown = replies.locator('li').filter({ hasText: `/${shortcut}` });
    const [words, bin] = [await shown.locator('.muted').boundingBox(), await shown.locator('.button').boundingBox()];
    expect(words?.width).toBeGreaterThan(100);
    expect(bin?.x).toBeGreaterThan((words?.x ?? 0) + (words?.width ?? 0) - 1);
  }
  await page.keyboard.press('Escape');
  await composer(page).fill('');
});

test('signing in by a code goes on from a wrong code, a wrong address and too many tries', async () => {
  const own = await swb.open();
  await own.goto(swb.product.baseUrl);
  const code = own.getByRole('textbox', { name: 'Code of the email' });
  await own.getByRole('textbox', { name: 'Email address' }).fill('noether@example.com');
  await own.getByRole('button', { name: 'Send me a code' }).click();
  await code.fill('000000');
  await own.getByRole('button', { name: 'Sign in', exact: true }).click();
  await own.getByRole('alert').waitFor();
  // it counts the seconds until it can be pressed
  await own.getByRole('button', { name: /^(Another code in \d+ s|Send another code)$/ }).waitFor();
  await own.getByRole('button', { name: 'Send another code' }).click();
  await own.getByRole('alert').waitFor({ state: 'detached' });
  await expect.poll(() => code.inputValue()).toBe('');
  await own.getByRole('button', { name: 'Use another address' }).click();
  const email = own.getByRole('textbox', { name: 'Email address' });
  await expect.poll(() => email.isEditable()).toBe(true);
  await email.fill('emmy@example.com');
  await own.route('**/api/v1/sessions/codes', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'retry-after': '30' },
      json: {
        status: 'error',
        code: 'rate_limited',
        message: 'Too many.',
        remedy: 'Wait the seconds in Retry-After, then request a new code.',
      },
    }),
  );
  await own.getByRole('button', { name: 'Send me a code' }).click();
  const alert = own.getByRole('alert');
  await alert.getByText('Wait a minute, then try again.').waitFor();
  // the API's own words are for those who open them
  expect(await alert.getByText('Retry-After').isVisible()).toBe(false);
  await own.context().close();
});
