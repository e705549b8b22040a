import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { switchboard } from '../../../client/client.ts';
import { type Console, startConsole } from '../../support/console.ts';
import { findings } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** Looking after campaigns: one that is done and failed in part is read and sent again, one that waits is paused, copied and deleted. */
/** Other walks move the clock of the product by weeks; a campaign waits a year at most. */
const farAhead = new Date(Date.now() + 300 * 86_400_000);

let swb: Console;
let page: Page;
beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  const { product } = swb;
  const token = product.demo.companies.find(({ id }) => id === product.companyId)?.tokens.owner ?? '';
  const api = switchboard({ baseUrl: product.baseUrl, token });
  const group = (await api.groups.create({ body: { name: 'Walkers' } })).data;
  await api.contacts.bulkSync({ body: { contacts: [1, 2, 3].map((nth) => ({ phone: `+49151900010${nth}` })), group_id: group.id } });
  const template = (await api.templates.list()).data.find(({ name, status }) => name === 'order_update' && status === 'APPROVED');
  const body = { template_id: template?.id ?? 0, group_id: group.id, paramvalues: { 1: 'you', 2: 'today' } };
  await api.campaigns.create({ body: { ...body, name: 'Now', send_now: true } });
  await api.campaigns.create({ body: { ...body, name: 'Later', send_time: farAhead.toISOString() } });
  page = await swb.signIn();
}, 400_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const dialog = (): Locator => page.getByRole('dialog');
const press = (name: string, within: Page | Locator = page): Promise<void> =>
  within.getByRole('button', { name, exact: true }).first().click();
const choose = async (name: string): Promise<void> => {
  await press('Actions');
  await page.getByRole('menuitem', { name, exact: true }).click();
  await dialog().waitFor();
};
const openCampaign = async (name: string): Promise<void> => {
  await page.goto(`${swb.product.baseUrl}/console/campaigns`);
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, exact: true }).waitFor();
};

describe('campaigns', () => {
  test('a new one says who gets it and who does not, is confirmed in words, and is sent once', async () => {
    await page.goto(`${swb.product.baseUrl}/console/campaigns`);
    await press('New campaign');
    await page.getByLabel('Name', { exact: true }).fill('By hand');
    await page.getByText('Choose a template and fill in').waitFor();
    await page.getByLabel('Template', { exact: true }).selectOption({ label: 'order_update (en)' });
    await page.getByLabel('Value of {{1}}').selectOption('name');
    await page.getByLabel('Where it is empty').fill('friend');
    await page.getByLabel('Text', { exact: true }).fill('today');
    await page.getByLabel('For', { exact: true }).selectOption('group');
    await page.getByLabel('A group').selectOption({ label: 'Walkers' });
    await page.getByText('3 people get it').waitFor();
    await page.locator('.template-preview').getByText('friend').waitFor();
    expect(await findings(page)).toEqual([]);
    const send = page.locator('.page-header').getByRole('button', { name: 'Send', exact: true });
    await send.click();
    await press('Cancel', dialog());
    await send.click();
    await dialog().getByText('3 people get it').waitFor();
    await press('Send', dialog());
    await page.getByRole('heading', { name: 'By hand' }).waitFor();
    await page.getByText('done', { exact: true }).waitFor({ timeout: 120_000 });
    await page.goto(`${swb.product.baseUrl}/console/campaigns`);
    await page.getByRole('link', { name: 'By hand' }).waitFor();
    expect(await page.getByRole('link', { name: 'By hand' }).count()).toBe(1);
  }, 300_000);

  test('one that is under way shows its end by itself, whom it reached, and leads to each conversation', async () => {
    await openCampaign('Now');
    await page.getByText('Walkers: 3').waitFor({ timeout: 120_000 });
    const people = page.getByRole('region', { name: 'Recipients' });
    await expect.poll(() => people.getByRole('link').count()).toBe(3);
    await page.getByText('done', { exact: true }).waitFor({ timeout: 120_000 });
    await page.getByLabel('State').selectOption('failed');
    await page.getByText('Nothing matches').waitFor();
    await page.getByLabel('State').selectOption('');
    expect(await findings(page)).toEqual([]);
    await people.getByRole('link').first().click();
    await page.locator('.thread').waitFor();
    await page.goBack();
    await people.waitFor();
  }, 300_000);

  test('one that waits is paused and goes on, and its state is seen without a reload', async () => {
    await openCampaign('Later');
    await page.getByText('scheduled', { exact: true }).waitFor();
    await press('Pause');
    await page.getByText('a user paused it').waitFor();
    await press('Resume');
    await page.getByText('scheduled', { exact: true }).waitFor();
  });

  test('a copy has a name and a time of its own, and sends nothing at once', async () => {
    await choose('Copy');
    expect(await dialog().getByRole('button', { name: 'Copy', exact: true }).isDisabled()).toBe(true);
    await dialog().getByLabel('Starts').fill('2020-01-01T10:00');
    await press('Copy', dialog());
    await dialog().locator('[aria-invalid="true"]').waitFor();
    await dialog()
      .getByLabel('Starts')
      .fill(`${new Date().getFullYear() + 1}-01-05T10:00`);
    await press('Copy', dialog());
    await page.getByRole('heading', { name: 'Later, again' }).waitFor();
    await page.getByText('scheduled', { exact: true }).waitFor();
  });

  test('it is deleted once that is confirmed, and the list is without it', async () => {
    await choose('Delete');
    await press('Delete', dialog());
    await page.getByRole('link', { name: 'Later', exact: true }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Later, again' }).count()).toBe(0);
    expect(swb.complaints).toEqual([]);
  });
});
