import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { composer, messageOf, openThread } from '../../support/inbox-page.ts';
import { findings } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** From a press to the first message, in the window of the simulated provider: nothing is typed but the message. */
let swb: Console;
let page: Page;
beforeAll(async () => {
  swb = await startConsole(sharedProduct(2));
  page = await swb.signIn();
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const begin = async (): Promise<void> => {
  await page.goto(`${swb.product.baseUrl}/console/settings/numbers`);
  await page.getByRole('link', { name: 'Connect with the provider' }).click();
  await page.getByText('A window of the provider opens').waitFor();
};
const opener = () => page.getByRole('button', { name: 'Connect with the provider' });
/** Opens the window, and presses a button in it. */
const inDialog = async (button: string, choice?: string): Promise<void> => {
  await opener().and(page.locator(':not([aria-disabled])')).waitFor();
  const [dialog] = await Promise.all([page.waitForEvent('popup'), opener().click()]);
  if (choice !== undefined) await dialog.getByLabel(choice).check();
  const pressed = dialog.getByRole('button', { name: button }).click();
  // the press closes the window, which may be gone before it is reported
  const press = pressed.catch((error: unknown) => {
    if (!dialog.isClosed()) throw error;
  });
  await Promise.all([dialog.waitForEvent('close'), press]);
};
interface Known {
  company_id: string;
  phone_number_id: string;
  display_phone_number: string;
}
const numbersOfDialog = async (): Promise<Known[]> => {
  const { body } = await swb.product.control('GET', 'provider/numbers');
  return (body as { data: Known[] }).data.filter(({ company_id }) => company_id === 'signup');
};

describe('the dialog of the provider', () => {
  test('that is cancelled, or reports a problem, changes nothing and says so', async () => {
    await begin();
    expect(await findings(page)).toEqual([]);
    await inDialog('Cancel');
    await page.getByRole('alert').filter({ hasText: 'The window was closed before the end' }).waitFor();
    await inDialog('Report a problem');
    await page.getByRole('alert').filter({ hasText: 'The number is used by another account.' }).waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await numbersOfDialog()).toEqual([]);
  });

  test('leads to a number that receives and answers, without an id that is typed', async () => {
    await begin();
    await inDialog('Finish');
    await page.getByRole('dialog').filter({ hasText: 'PIN of the number' }).waitFor();
    expect(await page.locator('.secret-box code').textContent()).toMatch(/^\d{6}$/);
    await page.getByRole('dialog').locator('.secret-box button').first().click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.locator('.notice.good').filter({ hasText: 'is connected' }).waitFor();
    expect(await page.locator('.findings .wrong').count()).toBe(0);
    expect(await findings(page)).toEqual([]);

    const [number] = await numbersOfDialog();
    const from = '4917699990002';
    const message = { ...number, from, name: 'Emmy Noether', type: 'text', text: 'Is this your new number?' };
    expect((await swb.product.control('POST', 'provider/inbound', message)).status).toBe(200);
    await page.getByRole('link', { name: 'To the inbox' }).click();
    await openThread(page, 'Emmy Noether');
    await messageOf(page, 'Is this your new number?').waitFor();
    await composer(page).fill('It is. Welcome!');
    await composer(page).press('Enter');
    const accepted = async (): Promise<string> =>
      (await swb.product.control('GET', `provider/messages?company_id=signup&phone=${from}`)).raw;
    await expect.poll(accepted).toContain('It is. Welcome!');
  });

  test('for a number that is there gives it a new token, and makes no second one', async () => {
    const [number] = await numbersOfDialog();
    const count = async (): Promise<number> => (await swb.product.api.numbers.list()).data.length;
    const before = await count();
    await begin();
    await inDialog('Finish', `+${number?.display_phone_number}`);
    await page.locator('.notice.good').filter({ hasText: 'is connected' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await count()).toBe(before);
  });

  test('whose code was used is refused in words, and one can begin again', async () => {
    await begin();
    const used = page.waitForRequest((request) => request.url().endsWith('/complete'));
    await inDialog('Finish');
    const body = (await used).postDataJSON() as { code: string };
    await page.getByRole('button', { name: 'I have stored it' }).waitFor();
    await begin();
    await page.route('**/complete', (route) => {
      const given = route.request().postDataJSON() as Record<string, unknown>;
      return route.continue({ postData: JSON.stringify({ ...given, code: body.code }) });
    });
    await inDialog('Finish');
    await page.getByRole('alert').filter({ hasText: 'The sign-in was used already' }).waitFor();
    await page.unroute('**/complete');
    await page.getByRole('button', { name: 'Begin again' }).click();
    await opener().waitFor();
  });
});

test('its script is let in on its page alone, and ends with it', async () => {
  const hasScript = (): Promise<boolean> => page.evaluate<boolean>(`'FB' in window`);
  await begin();
  await opener().and(page.locator(':enabled')).waitFor();
  expect(await hasScript()).toBe(true);
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.locator('.inbox').waitFor();
  await expect.poll(hasScript).toBe(false);
  const policy = (path: string): Promise<string> =>
    page.evaluate<string>(`fetch('/console${path}').then(({ headers }) => headers.get('content-security-policy'))`);
  const origin = new URL(swb.product.demo.local.provider_url).origin;
  expect(await policy('/settings/numbers/signup')).toContain(`script-src 'self' ${origin};`);
  expect(await policy('/settings/numbers')).not.toContain(origin);
  expect(swb.foreign).toEqual([]);
  expect(swb.complaints).toEqual([]);
});
