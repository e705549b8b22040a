import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { findings } from '../../support/looks.ts';
import { type Product, productIn, startProduct } from '../../support/product.ts';
import { isFullSize } from '../../support/run-size.ts';
import { Hands } from '../../support/two-ways.ts';

/**
 * The days of five users from an empty company of a fresh start to their results, with a pointer and once by keys alone: what each takes is in the
 * output.
 */
let product: Product;
beforeAll(async () => {
  product = await startProduct({ enforcesWindow: true });
}, 300_000);
afterAll(() => product?.stop());

const people = 200;
const shop = (nth: number): string => `day-lamps-${nth}.myshopify.com`;

/** In the quick form by keys alone, which reach less than a pointer does; in the whole form both. */
const ways = [
  ['keys alone', 'keys', 2],
  ['a pointer', 'pointer', 1],
] as const;

describe.each(ways.slice(0, isFullSize() ? ways.length : 1))('a week with %s', (_, way, nth) => {
  let swb: Console;
  let hands: Hands;
  let began: number;
  const days: string[] = [];
  beforeAll(async () => {
    swb = await startConsole(productIn(product.folder, nth));
  }, 100_000);
  afterAll(async () => {
    process.stdout.write(days.map((day) => `${day}\n`).join(''));
    await swb?.[Symbol.asyncDispose]();
  });

  const company = (): Console['product']['demo']['companies'][number] => {
    const found = swb.product.demo.companies[nth - 1];
    if (!found) throw new Error(`There is no demo company ${nth}.`);
    return found;
  };
  beforeEach(async () => {
    const page = await swb.open();
    // a function's first call starts it, and a busy machine takes its time
    page.setDefaultTimeout(100_000);
    hands = new Hands(page, way);
    began = performance.now();
  });
  afterEach(async ({ task }) => {
    const { presses, letters, minutes } = hands.effort();
    const took = ((performance.now() - began) / 60_000).toFixed(1);
    days.push(`${task.name}, ${way}: ${presses} presses, ${letters} letters; ${minutes} min of a practised user, ${took} min here`);
    if (task.result?.state !== 'fail') expect(await findings(hands.page)).toEqual([]);
    await hands.page.context().close();
    expect(swb.complaints).toEqual([]);
  });

  const signIn = async (): Promise<void> => {
    await hands.page.goto(swb.product.baseUrl);
    await hands.press(
      hands.page.getByRole('button', { name: 'Owner' }).nth(swb.product.demo.companies.findIndex(({ id }) => id === company().id)),
    );
    await hands.page.locator('.rail').waitFor();
  };
  const field = (name: string, within: Locator | typeof hands.page = hands.page): Locator =>
    within.getByLabel(name, { exact: true }).first();
  const open = async (name: string): Promise<void> => {
    await hands.area('Inbox', 'i');
    const row = hands.page.locator('.conversation').filter({ hasText: name });
    await row.waitFor();
    if (way === 'pointer') await hands.press(row);
    else for (const heading = hands.page.getByRole('heading', { name, level: 2 }); (await heading.count()) === 0; ) await hands.key('j');
    await hands.page.getByRole('heading', { name, level: 2 }).waitFor();
  };
  const answer = async (name: string, words: string): Promise<void> => {
    await open(name);
    const composer = hands.page.getByRole('textbox', { name: 'Message' });
    if (way === 'keys') await hands.key('r');
    await hands.write(composer, words);
    await hands.key('Enter');
    await hands.page.locator('.message').filter({ hasText: words }).getByLabel('Read', { exact: true }).waitFor();
  };
  /** What the file has that a button saves. */
  const saved = async (name: string): Promise<string> => {
    const [file] = await Promise.all([hands.page.waitForEvent('download'), hands.button(name)]);
    return readFile(await file.path(), 'utf8');
  };
  const order = async (number: string, phone: string): Promise<void> => {
    const placed = {
      order_number: number,
      currency: 'EUR',
      total_amount: 4800,
      customer_name: 'Lena Vogt',
      customer_phone: `+${phone}`,
      items: [{ name: 'Kitchen', quantity: 1, price: 4800 }],
    };
    const taken = await fetch(`${product.baseUrl}/shop/webhooks/custom/${company().shop.erp_token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ event: 'order.placed', data: placed }),
    });
    expect(taken.status).toBe(200);
  };

  test(`the marketer's: ${people} contacts of a file, a template, and the first campaign to all of them`, {
    timeout: 600_000,
  }, async () => {
    await signIn();
    await hands.area('Contacts', 'c');
    await hands.link('Import');
    const rows = Array.from({ length: people }, (_each, at) => `Guest ${at},+49 1512 ${String(3_000_000 + nth * 1_000 + at)},Oslo`);
    const buffer = Buffer.from(['Name,Phone,City', ...rows].join('\n'));
    await hands.file(field('File'), { name: 'guests.csv', mimeType: 'text/csv', buffer });
    await hands.press(hands.page.getByLabel('They agreed to be written to'));
    await hands.button('Check the file');
    // until the first rows are there, the button does nothing
    await hands.page.getByRole('region', { name: 'The first rows' }).getByText('Guest 0', { exact: true }).waitFor();
    await hands.button('Import');
    await hands.page.getByText(`new: ${people}`).waitFor({ timeout: 240_000 });

    await hands.area('Templates', 't');
    await hands.button('New template');
    await hands.write(field('Name'), 'Autumn sale');
    await hands.pick(hands.page.getByRole('radio', { name: /^Marketing/ }));
    await hands.write(field('Text'), 'Hello {{1}}, our autumn sale begins on Monday in the old town.');
    await hands.write(field('Example of {{1}}'), 'Ana');
    await hands.button('Submit to WhatsApp');
    await hands.page.getByRole('row').filter({ hasText: 'autumn_sale' }).getByText('approved').waitFor({ timeout: 120_000 });

    await hands.area('Campaigns', 'm');
    await hands.button('New campaign');
    await hands.write(field('Name'), 'Autumn');
    await hands.choose(field('Template'), 'autumn_sale');
    await hands.choose(field('Value of {{1}}'), 'Name of the contact');
    await hands.write(field('Where it is empty'), 'friend');
    await hands.page.getByText(`${people} people get it`).waitFor({ timeout: 120_000 });
    await hands.button('Send', hands.page.locator('.page-header'));
    await hands.button('Send', hands.dialog());
    await hands.page.getByText('done', { exact: true }).waitFor({ timeout: 300_000 });
    const statistics = async () => {
      const id = Number(new URL(hands.page.url()).pathname.split('/').at(-1));
      const { failed, total } = (await swb.product.api.campaigns.get({ params: { id } })).data.statistics;
      return { failed, total };
    };
    await expect.poll(statistics).toEqual({ failed: 0, total: people });
    const sent = await swb.product.control('GET', `provider/messages?phone=${`4915123${String(nth * 1_000 + 7).padStart(6, '0')}`}`);
    expect(sent.raw).toContain('Guest 7');
  });

  test("the salesperson's: a contact who writes becomes a lead, which is won with its order", { timeout: 600_000 }, async () => {
    const phone = `49151777000${nth}1`;
    await swb.write(phone, 'Lena Vogt', 'Do you build kitchens?');
    await signIn();
    await answer('Lena Vogt', 'Yes, of oak and of birch.');
    await hands.area('Sales', 'l');
    await hands.button('Sales in steps');
    await hands.button('New lead');
    await hands.write(field('Contact', hands.dialog()), 'Lena');
    await hands.button(/^Lena Vogt/, hands.dialog());
    await hands.write(field('Title', hands.dialog()), 'Kitchen');
    await hands.write(field('Value', hands.dialog()), '4800');
    await hands.button('Create lead', hands.dialog());
    await hands.dialog().getByRole('heading', { name: 'Kitchen' }).waitFor();
    // due tomorrow morning, unless another time is given
    await hands.write(field('What is to be done', hands.dialog()), 'Send the plan');
    await hands.button('Add', hands.dialog().getByRole('region', { name: 'Tasks' }));
    await hands.dialog().getByRole('button', { name: 'Complete' }).waitFor();
    await hands.key('Escape');
    await hands.link('Tasks', hands.page.locator('.subnav'));
    await hands.press(hands.page.getByRole('row').filter({ hasText: 'Send the plan' }).getByRole('button', { name: 'Complete' }));
    await hands.write(field('What came of it', hands.dialog()), 'She likes it');
    await hands.button('Complete', hands.dialog());
    await hands.page
      .getByRole('row')
      .filter({ hasText: 'Send the plan' })
      .getByRole('button', { name: 'Complete' })
      .waitFor({ state: 'detached' });
    await hands.link('Board', hands.page.locator('.subnav'));
    await hands.menu(hands.page.getByRole('button', { name: 'Move to: Kitchen' }), 'Won');
    await hands.page.getByRole('region', { name: 'Won', exact: true }).getByText('Kitchen').waitFor();
    await order(`K-${nth}`, phone);
    await open('Lena Vogt');
    await hands.press(hands.page.locator('.contact-card summary').filter({ hasText: 'Orders' }));
    await hands.page.locator('.contact-card').getByText(`K-${nth}`).waitFor();
  });

  test("the shop owner's: a store is connected, an order shipped, and its customer answered", { timeout: 600_000 }, async () => {
    const store = { shop: shop(nth), currency: 'EUR', products: [{ legacyResourceId: '71', title: 'Lamp' }], orders: [] };
    const made = await swb.product.control('PUT', 'storeplatform/shops', store);
    expect(made.status).toBe(200);
    const install = await swb.product.control('GET', `storeplatform/install?shop=${shop(nth)}`);
    const { start_url: start } = (install.body as { data: { start_url: string } }).data;
    await hands.page.goto(start, { timeout: 120_000, waitUntil: 'domcontentloaded' });
    await hands.press(
      hands.page.getByRole('button', { name: 'Owner' }).nth(swb.product.demo.companies.findIndex(({ id }) => id === company().id)),
    );
    await hands.button(`Connect to ${company().name}`);
    await hands.page.getByText('1 product and 0 orders imported.').waitFor({ timeout: 150_000 });

    await hands.link('Messages', hands.page.locator('.subnav'));
    await hands.press(hands.page.getByRole('listitem').filter({ hasText: 'When an order is shipped' }).getByRole('button'));
    await hands.choose(field('Template', hands.dialog()), 'order_update');
    await hands.choose(field('{{1}}', hands.dialog()), 'Name of the customer');
    await hands.choose(field('{{2}}', hands.dialog()), 'Number of the order');
    await hands.button('Save', hands.dialog());
    await hands.link('Orders', hands.page.locator('.subnav'));
    await hands.button(`K-${nth}`);
    await hands.choose(field('Status', hands.dialog()), 'shipped');
    await hands
      .dialog()
      .getByText(/^This sends/)
      .waitFor();
    await hands.write(field('Parcel', hands.dialog()), 'JJD0001');
    await hands.button('Save', hands.dialog());
    await hands.dialog().locator('.facts-list').getByText('JJD0001').waitFor();
    await hands.key('Escape');
    const phone = `49151777000${nth}1`;
    await expect
      .poll(async () => (await swb.product.control('GET', `provider/messages?phone=${phone}`)).raw, { timeout: 120_000 })
      .toContain('order_update');
    await swb.write(phone, 'Lena Vogt', 'When does it come?');
    await answer('Lena Vogt', 'On Thursday, with JJD0001.');
  });

  test('of who looks after sign-ins: a profile is made, and a test user is verified', { timeout: 600_000 }, async () => {
    const user = `day-${nth}@example.com`;
    await signIn();
    await hands.area('Verification', 'v');
    await hands.link('Profiles');
    await hands.button('New profile');
    await hands.write(field('Name', hands.dialog()), 'Day app');
    await hands.button('Save', hands.dialog());
    await hands.page.getByRole('heading', { name: 'Day app' }).waitFor();
    await hands.choose(field('Sent first by'), 'Email');
    await hands.button('Save');
    await hands.page.getByText('Saved').first().waitFor();
    await hands.button('New key');
    await hands.write(field('Name', hands.dialog()), 'Web');
    await hands.button('Save', hands.dialog());
    await hands.dialog().getByText(/^sk_/).waitFor();
    for (const button of await hands.dialog().locator('.secret-box button').all()) await hands.press(button);
    await hands.button('I have stored it', hands.dialog());
    await hands.write(field('To'), user);
    await hands.button('Send a code');
    const code = async (): Promise<string> => {
      const { body } = await swb.product.control('GET', 'emails');
      const mail = (body as { data: unknown[] }).data.find((each) => JSON.stringify(each).includes(user));
      return /\b(\d{6})\b/.exec(JSON.stringify(mail ?? ''))?.[1] ?? '';
    };
    await expect.poll(code, { timeout: 120_000 }).toMatch(/^\d{6}$/);
    const app = hands.page.getByRole('group', { name: 'Your app' });
    await hands.write(field('Code', app), await code());
    await hands.button('Continue', app);
    await app.getByText('Verified').waitFor();
  });

  test("the owner's: the week is looked at, and who waits is answered", { timeout: 600_000 }, async () => {
    const waiting = { company_id: swb.product.companyId, from: `49151777000${nth}2`, name: 'Omar Aziz', type: 'text', text: 'Is it open?' };
    const { status } = await swb.product.control('POST', 'provider/inbound', { ...waiting, seconds_ago: 7_200 });
    expect(status).toBe(200);
    await signIn();
    await hands.area('Home', 'h');
    await hands.press(hands.page.getByRole('link', { name: /waits for an answer/ }));
    await answer('Omar Aziz', 'Until six.');
    await hands.area('Home', 'h');
    await hands.page.getByText('Answers and closings a day').first().waitFor();
    await hands.choose(hands.page.locator('.filters').getByLabel('Range'), 'Last 30 days');
    await hands.page.getByRole('table', { name: 'Team' }).getByRole('link').first().waitFor();
    expect(await saved('CSV of what is shown')).toContain('date,answered,');
    await hands.area('Sales', 'l');
    await hands.link('Reports');
    await hands.page.locator('.figures').getByText('4,800').waitFor();
    await hands.area('Spend', 'p');
    await hands.page.getByText('By day and category').first().waitFor();
    expect(await saved('All as CSV')).toContain('marketing');
    await hands.press(hands.page.getByRole('tab', { name: 'Campaign' }));
    await hands.page.getByRole('table', { name: 'Campaign' }).getByText('Autumn').waitFor();
    await hands.area('Verification', 'v');
    await hands.page.locator('.figures').getByText('100%').waitFor({ timeout: 120_000 });
  });
});
