import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { switchboard } from '../../../client/client.ts';
import { type Console, startConsole } from '../../support/console.ts';
import { handsOn } from '../../support/hands.ts';
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
  await api.contacts.bulkSync({
    body: {
      contacts: [1, 2, 3].map((nth) => ({ phone: `+49151900010${nth}`, ...(nth === 3 ? { name: 'Walker One' } : {}) })),
      group_id: group.id,
    },
  });
  await api.contacts.create({ body: { phone: '+491519000199', name: 'Walker Out', subscribed: false } });
  const template = (await api.templates.list()).data.find(({ name, status }) => name === 'order_update' && status === 'APPROVED');
  const body = { template_id: template?.id ?? 0, group_id: group.id, paramvalues: { 1: 'you', 2: 'today' } };
  const { id } = (await api.campaigns.create({ body: { ...body, name: 'Now', send_now: true } })).data;
  // an answer is to the last campaign: on a busy machine this one could come after the one that is made by hand
  await vi.waitFor(async () => expect((await api.campaigns.get({ params: { id } })).data.status).toBe('completed'), {
    timeout: 120_000,
    interval: 500,
  });
  await api.campaigns.create({ body: { ...body, name: 'Later', send_time: farAhead.toISOString() } });
  page = await swb.signIn();
}, 400_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const { dialog, press } = handsOn(() => page);
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
    await page.getByText('to see who gets it').waitFor();
    await page.getByLabel('Template', { exact: true }).selectOption({ label: 'order_update (en)' });
    await page.getByLabel('Value of {{1}}').selectOption('name');
    await page.getByLabel('Where it is empty').fill('friend');
    await page.getByLabel('Text', { exact: true }).fill('today');
    await page.getByLabel('For', { exact: true }).selectOption('group');
    await page.getByLabel('A group').selectOption({ label: 'Walkers' });
    await page.getByText('3 people get it').waitFor();
    // the next recipient, whose own name stands in the message
    await page.getByRole('group', { name: 'What one recipient gets' }).getByText('Walker One').waitFor();
    await page.locator('.template-preview').getByText('Walker One').waitFor();
    await press('Next recipient');
    await page.locator('.template-preview').getByText('friend').waitFor();
    expect(await findings(page)).toEqual([]);
    const send = page.locator('.page-header').getByRole('button', { name: 'Send', exact: true });
    await send.click();
    await press('Cancel', dialog());
    await send.click();
    await dialog().getByText('3 people get it').waitFor();
    await dialog().getByText('From the number').waitFor();
    await dialog().getByText('Begins: at once Done at about').waitFor();
    await press('Send', dialog());
    await page.getByRole('heading', { name: 'By hand' }).waitFor();
    await page.getByText('done', { exact: true }).waitFor({ timeout: 120_000 });
    await page.goto(`${swb.product.baseUrl}/console/campaigns`);
    await page.getByRole('link', { name: 'By hand' }).waitFor();
    expect(await page.getByRole('link', { name: 'By hand' }).count()).toBe(1);
  }, 300_000);

  test('a test goes to the phones that are typed and to a contact, each once, says where it is, and counts in no campaign', async () => {
    await page.goto(`${swb.product.baseUrl}/console/campaigns/new`);
    await page.getByText('Choose a template and fill in its values first.').waitFor();
    await page.getByLabel('Template', { exact: true }).selectOption({ label: 'order_update (en)' });
    await page.getByLabel('Text', { exact: true }).nth(0).fill('you');
    await page.getByLabel('Text', { exact: true }).nth(1).fill('today');
    await page.getByLabel('Phones', { exact: true }).fill('+49 151 9000101, 12');
    await page.getByLabel('Or contacts').first().fill('Walker One');
    await page.getByRole('list', { name: 'Or contacts' }).getByRole('button').first().click();
    await press('Send 3 tests');
    await expect.poll(() => page.locator('.test-recipients .badge').count()).toBe(2);
    expect(await page.locator('.test-recipients .problem').textContent()).toContain('country code');
    expect(await findings(page)).toEqual([]);
    expect(await page.locator('.test-recipients').getByRole('link', { name: 'Conversation' }).count()).toBe(2);
    await page.getByRole('link', { name: 'Campaigns' }).first().click();
    await press('Discard', dialog());
    await page.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor();
  }, 120_000);

  test('who is left out stands behind each reason, by keys too, and a contact opens beside the form', async () => {
    await page.goto(`${swb.product.baseUrl}/console/campaigns/new`);
    await page.getByLabel('Template', { exact: true }).selectOption({ label: 'spring_sale (en)' });
    await page.getByLabel('Text', { exact: true }).first().fill('you');
    const reason = page.getByRole('button', { name: /^Never agreed: / });
    await reason.press('Enter');
    await dialog().getByRole('heading', { name: 'Never agreed' }).waitFor();
    const people = dialog().getByRole('table', { name: 'Never agreed' }).getByRole('link');
    await people.filter({ hasText: 'Walker Out' }).waitFor();
    expect(await people.first().getAttribute('target')).toBe('_blank');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await page.locator('button:focus', { hasText: 'Never agreed' }).waitFor();
    await page.getByRole('link', { name: 'Campaigns' }).first().click();
    await press('Discard', dialog());
    await page.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor();
  }, 120_000);

  test('the list shows those of one state, which its address says', async () => {
    await page.goto(`${swb.product.baseUrl}/console/campaigns`);
    await page.getByRole('link', { name: 'Now', exact: true }).waitFor();
    await page.locator('.filters').getByLabel('Status').selectOption('scheduled');
    await page.waitForURL(/status=scheduled/);
    await page.getByRole('link', { name: 'Now', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Later', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Later', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Now', exact: true }).count()).toBe(0);
    await page.locator('.filters').getByLabel('Status').selectOption('paused');
    await page.getByText('Nothing matches').waitFor();
  });

  test('one that is under way shows its end by itself, whom it reached, and leads to each conversation', async () => {
    await openCampaign('Now');
    await page.getByText('Walkers: 3').waitFor({ timeout: 120_000 });
    const people = page.getByRole('region', { name: 'Recipients' });
    await expect.poll(() => people.getByRole('link').count()).toBe(3);
    await page.getByText('done', { exact: true }).waitFor({ timeout: 120_000 });
    await page.locator('.filters').getByLabel('State').selectOption('failed');
    await page.getByText('Nothing matches').waitFor();
    await page.locator('.filters').getByLabel('State').selectOption('');
    // from a part of a chart to its list, by hand and from its table
    await page.locator('.parts .picture-link', { hasText: 'failed' }).click();
    await page.getByText('Nothing matches').waitFor();
    expect(await page.locator('.filters').getByLabel('State').inputValue()).toBe('failed');
    await press('Show as a table');
    await page.locator('.chart-table').getByRole('link', { name: 'read' }).click();
    await page.waitForURL(/status=read/);
    await page.locator('.filters').getByLabel('State').selectOption('');
    await page.getByRole('region', { name: 'Message', exact: true }).locator('.template-preview').getByText('today').waitFor();
    expect(await findings(page)).toEqual([]);
    await people.getByRole('link').first().click();
    await page.locator('.thread').waitFor();
    await page.goBack();
    await people.waitFor();
  }, 300_000);

  test('who answered stands there with what was said, and its course and the recipients as a file', async () => {
    const answer = { company_id: swb.product.companyId, from: '491519000101', type: 'text', text: 'When does it come?' };
    await swb.product.control('POST', 'provider/inbound', answer);
    // of several campaigns to one recipient the answer is to the last
    await openCampaign('By hand');
    await page.getByRole('region', { name: '1 reply' }).getByText('When does it come?').waitFor({ timeout: 60_000 });
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    await page.locator('.campaign-steps').getByText('Done').waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), press('CSV')]);
    expect(file.suggestedFilename()).toMatch(/^campaign-\d+\.csv$/);
    expect(await findings(page)).toEqual([]);
  }, 120_000);

  test('those that have begun stand beside each other, sorted by what is chosen', async () => {
    await page.goto(`${swb.product.baseUrl}/console/campaigns`);
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByRole('heading', { name: 'Campaigns compared' }).waitFor();
    await page.getByRole('link', { name: 'Now', exact: true }).waitFor();
    await page.getByLabel('Best first by').selectOption('reply');
    await expect.poll(() => page.locator('.data-table .lines .row-link').first().textContent()).toContain('By hand');
    expect(new URL(page.url()).searchParams.get('sort')).toBe('reply');
    expect(await findings(page)).toEqual([]);
  });

  test('a copy that is changed begins with the template, the values and the audience of the first one', async () => {
    await openCampaign('By hand');
    await press('Actions');
    await page.getByRole('menuitem', { name: 'Copy and change', exact: true }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('By hand, again');
    expect(await page.getByLabel('Where it is empty').inputValue()).toBe('friend');
    await page.getByText('3 people get it').waitFor();
    await page.getByRole('link', { name: 'Campaigns' }).first().click();
    await press('Discard', dialog());
  });

  test('one that waits is paused and goes on, and its state is seen without a reload', async () => {
    await openCampaign('Later');
    await page.getByText('scheduled', { exact: true }).waitFor();
    await press('Pause');
    await page.getByText('a user paused it', { exact: true }).waitFor();
    await press('Resume');
    await page.getByText('scheduled', { exact: true }).waitFor();
  });

  test('its name and its time are changed until it begins, and what is refused stands beside the field', async () => {
    await choose('Change');
    expect(await dialog().getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await dialog().getByLabel('Name', { exact: true }).fill('Later on');
    await dialog().getByLabel('Starts').fill('2020-01-01T10:00');
    await press('Save', dialog());
    await dialog().locator('[aria-invalid="true"]').waitFor();
    await dialog()
      .getByLabel('Starts')
      .fill(`${new Date().getFullYear() + 1}-02-05T10:00`);
    expect(await findings(page)).toEqual([]);
    await press('Save', dialog());
    await page.getByRole('heading', { name: 'Later on' }).waitFor();
    await choose('Change');
    await dialog().getByLabel('Name', { exact: true }).fill('Later');
    await press('Save', dialog());
    await page.getByRole('heading', { name: 'Later', exact: true }).waitFor();
  });

  test('one that was to start long ago continues once that is confirmed', async () => {
    await press('Pause');
    await page.getByText('a user paused it', { exact: true }).waitFor();
    // the clock of the product is that of other walks too
    const bodies: string[] = [];
    await page.route(/\/api\/v1\/campaigns\/\d+$/, async (route) => {
      if (route.request().method() !== 'PUT') return route.fallback();
      bodies.push(route.request().postData() ?? '');
      if (bodies.length > 1) return route.fallback();
      const problem = { type: 'about:blank', title: 'Stale', status: 409, code: 'campaign_stale', detail: 'Stale.' };
      return route.fulfill({ status: 409, contentType: 'application/problem+json', body: JSON.stringify(problem) });
    });
    await press('Resume');
    await page.getByText('more than a day ago').waitFor();
    expect(await findings(page)).toEqual([]);
    await press('Continue all the same');
    await page.getByText('scheduled', { exact: true }).waitFor();
    await page.getByText('more than a day ago').waitFor({ state: 'detached' });
    await page.unroute(/\/api\/v1\/campaigns\/\d+$/);
    expect(bodies.map((each) => JSON.parse(each) as object)).toEqual([{ is_active: true }, { is_active: true, confirm_stale: true }]);
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

  test('one with a max price says what it costs at most, times what is typed, and what WhatsApp expects', async () => {
    const token = swb.product.demo.companies.find(({ id }) => id === swb.product.companyId)?.tokens.owner ?? '';
    const api = switchboard({ baseUrl: swb.product.baseUrl, token });
    const body = { name: 'walkers_sale', language: 'en', category: 'MARKETING' as const, max_price: { amount: '0.1', currency: 'USD' } };
    await api.templates.create({ body: { ...body, components: [{ type: 'BODY', text: 'Our sale starts today.' }] } });
    await expect
      .poll(async () => (await api.templates.list()).data.some(({ name }) => name === 'walkers_sale'), { timeout: 60_000 })
      .toBe(true);
    await page.goto(`${swb.product.baseUrl}/console/campaigns/new`);
    await page.getByLabel('Template', { exact: true }).selectOption({ label: 'walkers_sale (en)' });
    await page.getByLabel('For', { exact: true }).selectOption('group');
    await page.getByLabel('A group').selectOption({ label: 'Walkers' });
    await page.getByText(/^For at most \S*0\.30$/).waitFor();
    await page.getByText(/^WhatsApp expects that it arrives at \d to 3 of them/).waitFor();
    const times = page.getByLabel('Multiply the max price by (optional)');
    await times.fill('11');
    await page.getByText('A number from 0.1 to 10, with two decimals at most.').waitFor();
    await times.fill('1,5');
    await page.getByText(/^For at most \S*0\.45$/).waitFor();
    await page.getByText(/One message of this campaign costs at most \S*0\.15\./).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Campaigns' }).first().click();
    await press('Discard', dialog());
    await page.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor();
    expect(swb.complaints).toEqual([]);
  }, 180_000);
});
