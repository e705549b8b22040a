import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { composer, customerOf, messageOf, openThread, row } from '../../support/inbox-page.ts';
import { findings } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** Open shows what waits for an answer: neither what a user put away, nor the recipients of a campaign who did not write. */
let swb: Console;
let page: Page;
let colleague: Page;
const customer = { phone: '4917822220001', name: 'Hedy Lamarr' };
const { inbound } = customerOf(() => swb);

beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  await swb.write('4917822220002', 'Rosalind Franklin', 'Good evening');
  await swb.write(customer.phone, customer.name, 'Call me on Monday');
  page = await swb.signIn();
  colleague = await swb.signIn('Admin');
  for (const each of [page, colleague]) await openThread(each, customer.name);
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const choose = async (on: Page, name: string): Promise<void> => {
  const views = on.getByRole('navigation', { name: 'Views' });
  if (['Snoozed', 'Automatic only'].includes(name)) {
    await views.getByRole('button').last().click();
    await on.getByRole('menuitem', { name: new RegExp(`^${name}`) }).click();
  } else await views.getByRole('button', { name: new RegExp(`^${name}`) }).click();
};
const lineIn = (on: Page, words: string | RegExp) => on.locator('.system-line').filter({ hasText: words });
const isInView = async (on: Page, name: string, count: number): Promise<void> =>
  expect.poll(() => row(on, name).count(), { message: `${name} in the list` }).toBe(count);
const press = async (on: Page, key: string): Promise<void> => {
  await on.locator('.thread-header h2').click();
  await on.keyboard.press(key);
};

describe('a conversation that is put away', () => {
  test('by H and a choice leaves Open, and Z brings it back', async () => {
    await press(page, 'h');
    const dialog = page.getByRole('dialog', { name: 'Snooze until' });
    await dialog.getByRole('button', { name: /^Tomorrow morning/ }).waitFor();
    expect(await findings(page)).toEqual([]);
    await dialog.getByRole('button', { name: /^Tomorrow morning/ }).click();
    await isInView(page, customer.name, 0);
    await page.locator('.toast').filter({ hasText: 'Snoozed until' }).waitFor();
    await page.keyboard.press('z');
    await isInView(page, customer.name, 1);
    await page.getByRole('heading', { name: customer.name, level: 2 }).waitFor();
    expect(await page.locator('.snoozed-line').count()).toBe(0);
  });

  test('is shown as that to a colleague: in its view, above its thread, and who did it in a line', async () => {
    await press(page, 'h');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^In an hour/ })
      .click();
    await isInView(page, customer.name, 0);
    await isInView(colleague, customer.name, 0);
    await colleague.locator('.snoozed-line').filter({ hasText: 'Snoozed until' }).waitFor();
    await lineIn(colleague, 'Demo Owner snoozed the conversation until').first().waitFor();
    await choose(colleague, 'Snoozed');
    await row(colleague, customer.name).locator('.snoozed-until').waitFor();
    expect(await findings(colleague)).toEqual([]);
    await choose(colleague, 'Open');
  });

  test('comes back by itself at its time, unread, in every browser', async () => {
    await swb.product.control('POST', 'clock', { advance_seconds: 3_700 });
    for (const each of [page, colleague]) {
      await isInView(each, customer.name, 1);
      await row(each, customer.name).locator('.badge').waitFor();
    }
    await colleague.locator('.snoozed-line').waitFor({ state: 'detached' });
    await lineIn(colleague, 'Back: its time is over').waitFor();
  });

  test('comes back at once when the customer writes', async () => {
    await openThread(page, customer.name);
    await press(page, 'h');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^(Next Monday|Tomorrow morning)/ })
      .first()
      .click();
    await isInView(colleague, customer.name, 0);
    await inbound({ from: customer.phone, name: customer.name, type: 'text', text: 'Or today?' });
    for (const each of [page, colleague]) await isInView(each, customer.name, 1);
    await lineIn(colleague, 'Open again: the contact wrote').waitFor();
    await colleague.locator('.snoozed-line').waitFor({ state: 'detached' });
  });

  test('until a time of the user, never one that is over; a press brings it back', async () => {
    await openThread(page, customer.name);
    await page.getByRole('button', { name: 'Snooze  H' }).click();
    const dialog = page.getByRole('dialog');
    const own = dialog.getByLabel('Another time');
    await own.fill('2020-01-01T09:00');
    await dialog.getByText('This time is over.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Snooze', exact: true }).isDisabled()).toBe(true);
    await own.fill(await page.evaluate<string>(`new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 16)`));
    await dialog.getByRole('button', { name: 'Snooze', exact: true }).click();
    await isInView(page, customer.name, 0);
    await choose(page, 'Snoozed');
    await openThread(page, customer.name);
    await page
      .locator('.snoozed-line')
      .getByRole('button', { name: /^Bring back/ })
      .click();
    await isInView(page, customer.name, 0);
    await choose(page, 'Open');
    await isInView(page, customer.name, 1);
    // as it did by Z before
    await lineIn(page, 'You brought the conversation back').last().waitFor();
  });

  test('with others at once, and all come back by one undo', async () => {
    const names = [customer.name, 'Rosalind Franklin'];
    await page.getByRole('button', { name: /^Select several/ }).click();
    for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    const bar = page.getByRole('toolbar', { name: 'Select several' });
    await bar.getByRole('button', { name: 'Snooze' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Tomorrow morning/ })
      .click();
    for (const name of names) await isInView(page, name, 0);
    await page.locator('.toast').filter({ hasText: '2 conversations changed.' }).getByRole('button', { name: /^Undo/ }).click();
    for (const name of names) await isInView(page, name, 1);
  });

  test('is nothing that a viewer can do', async () => {
    const viewer = await swb.signIn('Viewer');
    await openThread(viewer, customer.name);
    await press(viewer, 'h');
    expect(await viewer.getByRole('button', { name: /^Snooze/ }).count()).toBe(0);
    expect(await viewer.getByRole('dialog').count()).toBe(0);
    await viewer.context().close();
  });
});

describe('whom only a campaign wrote to', () => {
  const recipient = { phone: '4917822220009', name: 'Lise Meitner' };

  test('is not in Open and its count, but in a view of its own and in what is searched', async () => {
    const { api } = swb.product;
    const { data: before } = await api.conversations.getInboxCounts();
    const { data: contact } = await api.contacts.create({ body: { phone: `+${recipient.phone}`, name: recipient.name, subscribed: true } });
    const template = (await api.templates.list({ query: { limit: 100 } })).data.find(({ name }) => name === 'order_update');
    await api.campaigns.create({
      body: {
        name: 'Spring',
        template_id: template?.id ?? 0,
        audience_type: 'contact',
        contact_id: contact.id,
        paramvalues: { body: { 1: 'Lise', 2: 'A-1' } },
      },
    });
    await swb.product.idle();
    await page.reload();
    await row(page, customer.name).waitFor();
    expect(await row(page, recipient.name).count()).toBe(0);
    expect((await api.conversations.getInboxCounts()).data).toMatchObject({
      open: before.open,
      automatic: before.automatic + 1,
    });
    await choose(page, 'Automatic only');
    await row(page, recipient.name).waitFor();
    expect(await findings(page)).toEqual([]);
    await choose(page, 'Open');
    await page.getByRole('searchbox').fill('Meitner');
    await row(page, recipient.name).waitFor();
    await page.getByRole('searchbox').fill('');
    await isInView(page, recipient.name, 0);
  });

  test('is in Open the moment they write', async () => {
    await inbound({ from: recipient.phone, name: recipient.name, type: 'text', text: 'Tell me more' });
    await openThread(page, recipient.name);
    await messageOf(page, 'Tell me more').waitFor();
    await composer(page).waitFor();
    await choose(page, 'Automatic only');
    await isInView(page, recipient.name, 0);
    await choose(page, 'Open');
  });
});

test('the browser complains of nothing', () => {
  expect(swb.foreign).toEqual([]);
  expect(swb.complaints).toEqual([]);
});
