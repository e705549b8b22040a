import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { handsOn } from '../../support/hands.ts';
import { findings } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** What customers see of a number is changed on its pages, within the provider's limits, and then the provider has it. */
let swb: Console;
let page: Page;
let params: { id: number };
beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  page = await swb.signIn();
  params = { id: (await swb.product.api.numbers.list()).data[0]?.id ?? 0 };
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const { dialog, field, press } = handsOn(() => page);
const toasted = (words: string): Promise<void> => page.locator('.toast').filter({ hasText: words }).last().waitFor();
const api = () => swb.product.api.numbers;

test('the list of numbers leads to the profile, and each page of a number to the others', async () => {
  await page.goto(`${swb.product.baseUrl}/console/settings/numbers`);
  await page
    .getByRole('button', { name: /^Pages of the number/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Profile' }).click();
  const pages = page.getByRole('navigation', { name: 'Pages of the number' });
  for (const name of ['Links', 'Suggestions', 'Overview', 'Profile']) {
    await pages.getByRole('link', { name }).click();
    await expect.poll(() => pages.locator('[aria-current=page]').allTextContents()).toEqual([name]);
  }
});

describe('the profile', () => {
  test('says how much is written, does not send too much, is not left unsaved by a link, and is saved', async () => {
    await field('About').fill('Plants for every balcony');
    await page.getByText('24 of 139 characters.').waitFor();
    await field('Description').fill('x'.repeat(513));
    await page.getByText('At most 512 characters.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByRole('navigation', { name: 'Pages of the number' }).getByRole('link', { name: 'Links' }).click();
    await press('Keep editing', dialog());
    await field('Description').fill('We plant trees.');
    await field('Website 2').fill('https://alder.example/shop');
    await field('Line of business').selectOption({ label: 'Shopping and retail' });
    expect(await findings(page)).toEqual([]);
    await press('Save');
    await toasted('Saved.');
    const { data } = await api().getProfile({ params });
    expect(data).toMatchObject({
      about: 'Plants for every balcony',
      description: 'We plant trees.',
      websites: ['https://alder.example/shop'],
      vertical: 'RETAIL',
    });
  });

  test('has a username, which is reserved within the rules of the provider and deleted after a question', async () => {
    await press('Choose a username');
    await field('Username', dialog()).fill('www.alder');
    await dialog()
      .getByText(/looks like no website/)
      .waitFor();
    expect(await dialog().getByRole('button', { name: 'Reserve' }).isDisabled()).toBe(true);
    await field('Username', dialog()).fill('@Alder.Trees');
    await press('Reserve', dialog());
    await page.getByText('@alder.trees').waitFor();
    expect((await api().getUsername({ params })).data.username).toBe('alder.trees');
    await press('Delete username');
    await press('Delete username', dialog());
    await page.getByText('No username yet').waitFor();
    expect((await api().getUsername({ params })).data.username).toBeNull();
  });
});

test('a link is made, copied, given another text and deleted after a question', async () => {
  await page.goto(`${swb.product.baseUrl}/console/settings/numbers/${params.id}/links`);
  await press('New link');
  await field('Text', dialog()).fill('Is the walnut tree in stock?');
  await dialog().getByText('28 of 140 characters.').waitFor();
  await press('Make link', dialog());
  await dialog()
    .getByText(/^https:\/\/wa\.me\/message\/\w+$/)
    .waitFor();
  await dialog().getByRole('link', { name: 'Open the QR code' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await press('Close', dialog().locator('footer'));
  await press('Is the walnut tree in stock?');
  await field('Text', dialog()).fill('Is the oak in stock?');
  await press('Save', dialog());
  await page.getByRole('button', { name: 'Is the oak in stock?', exact: true }).waitFor();
  const texts = async (): Promise<string[]> => (await api().listLinks({ params })).data.map(({ message }) => message);
  expect(await texts()).toContain('Is the oak in stock?');
  await page.getByRole('button', { name: 'Actions: Is the oak in stock?' }).click();
  await page.getByRole('menuitem', { name: 'Delete link' }).click();
  await press('Delete link', dialog());
  await toasted('The link was deleted.');
  expect(await texts()).not.toContain('Is the oak in stock?');
});

test('ice breakers and commands are written, removed, brought back and saved', async () => {
  await page.goto(`${swb.product.baseUrl}/console/settings/numbers/${params.id}/suggestions`);
  await field('Ice breaker 2').fill('Where is the shop?');
  await press('Add a command');
  await field('Command 1').fill('/opening hours');
  await page.getByText('No spaces and no slash.').waitFor();
  await field('Command 1').fill('/hours');
  expect(await field('Command 1').inputValue()).toBe('hours');
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await field('Description 1').fill('When the shop is open');
  await page.getByText('1 of 30 commands.').waitFor();
  expect(await findings(page)).toEqual([]);
  await press('Save');
  await toasted('Saved.');
  const saved = { ice_breakers: ['Where is the shop?'], commands: [{ name: 'hours', description: 'When the shop is open' }] };
  expect((await api().getAutomation({ params })).data).toEqual(saved);
  await press('Remove command 1');
  await page.getByText('0 of 30 commands.').waitFor();
  await press('Discard');
  await page.getByText('1 of 30 commands.').waitFor();
  await press('Remove command 1');
  await press('Save');
  await expect.poll(async () => (await api().getAutomation({ params })).data.commands).toEqual([]);
});

test('who may only read sees it all and changes nothing', async () => {
  const reader = await swb.signIn('Viewer');
  for (const path of ['profile', 'links', 'suggestions']) {
    await reader.goto(`${swb.product.baseUrl}/console/settings/numbers/${params.id}/${path}`);
    await reader.locator('.page .skeleton').first().waitFor({ state: 'detached' });
    await reader.getByRole('navigation', { name: 'Pages of the number' }).waitFor();
    const names = await reader.locator('.page').getByRole('button').allTextContents();
    expect(names.filter((name) => /Save|Change|Choose|Delete|New link/.test(name))).toEqual([]);
  }
  await reader.context().close();
});

test('the browser complains of nothing, and nothing is asked of another host', () => {
  expect(swb.complaints).toEqual([]);
  expect(swb.foreign).toEqual([]);
});
