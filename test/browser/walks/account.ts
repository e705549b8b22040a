import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyWebhook } from '../../../lib/local/receiver/verify-webhook.ts';
import { type Console, startConsole } from '../../support/console.ts';
import { handsOn } from '../../support/hands.ts';
import { findings } from '../../support/looks.ts';
import { sharedProduct } from '../../support/shared-product.ts';

let swb: Console;
let page: Page;

beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  page = await swb.signIn();
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const go = async (path: string): Promise<void> => {
  await page.goto(`${swb.product.baseUrl}/console${path}`);
  await page.locator('.page').waitFor();
};
const { dialog, press } = handsOn(() => page);

/** What a secret must not be in, once the dialog that showed it is closed: document, address, storage, cookies that scripts see. */
const tracesOf = (secret: string): Promise<string[]> =>
  page.evaluate<string[]>(`[
    ['document', document.documentElement.outerHTML + [...document.querySelectorAll('input, textarea')].map(({ value }) => value).join()],
    ['address', location.href],
    ['storage', JSON.stringify(localStorage) + JSON.stringify(sessionStorage)],
    ['cookie', document.cookie],
    ['history', JSON.stringify(history.state)],
  ].filter(([, text]) => text.includes(${JSON.stringify(secret)})).map(([name]) => name)`);

/** The secrets of the open dialog, read as a user reads them. */
const shownSecrets = async (): Promise<string[]> => {
  await page.locator('.secret-box code').first().waitFor();
  return page.locator('.secret-box code').allTextContents();
};

/** Closes the dialog with secrets, leaves the screen, and comes back: nothing of them is there. */
const expectGone = async (secrets: readonly string[]): Promise<void> => {
  // it is shown once: neither Escape nor a press beside it throws it away, and the button waits until it was copied
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  const stored = dialog().getByRole('button', { name: 'I have stored it' });
  expect(await stored.isDisabled()).toBe(true);
  expect(await dialog().getByRole('button', { name: 'Close' }).count()).toBe(0);
  for (const copy of await dialog().locator('.secret-box button').all()) await copy.click();
  await stored.click();
  await dialog().waitFor({ state: 'detached' });
  for (const secret of secrets) expect(await tracesOf(secret)).toEqual([]);
  const path = new URL(page.url()).pathname.replace('/console', '');
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.locator('.inbox').waitFor();
  await page.goBack();
  await page.locator('.page').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/console${path}`);
  for (const secret of secrets) expect(await tracesOf(secret)).toEqual([]);
};

/** A company's own system that can be broken. */
interface Receiver {
  url: string;
  answer: number;
  calls: { id: string; body: string; answered: number; verified: (secret: string) => boolean }[];
  server: Server;
}

const startReceiver = async (): Promise<Receiver> => {
  const receiver: Omit<Receiver, 'url' | 'server'> = { answer: 200, calls: [] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const sentAt = Number(request.headers['webhook-timestamp']) * 1_000;
      receiver.calls.push({
        id: String(request.headers['webhook-id']),
        body,
        answered: receiver.answer,
        verified: (secret) => verifyWebhook(secret, request.headers, body, sentAt) !== undefined,
      });
      response.writeHead(receiver.answer).end(receiver.answer === 200 ? 'thank you' : 'out of order');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(receiver, { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders` });
};

describe('secrets', () => {
  test('a token with chosen scopes and networks shows its secret once; it works, and nothing of it stays in the page', async () => {
    await go('/developers/tokens');
    await press('New token');
    await dialog().getByLabel('What is it for?').fill('till sync');
    await dialog().getByLabel('profile:read', { exact: true }).check();
    await dialog().getByLabel('contacts:read', { exact: true }).check();
    await dialog().getByLabel('Where it is accepted from').fill('127.0.0.1\n203.0.113.0/24');
    await press('Create token', dialog());
    const [secret = ''] = await shownSecrets();
    expect(secret).toMatch(/^swb_\w{20,}$/);
    const me = await swb.product.http({ method: 'GET', path: '/api/v1/me', token: secret });
    expect(me.status).toBe(200);
    expect((me.body as { data: { scopes: string[] } }).data.scopes).toEqual(['profile:read', 'contacts:read']);
    await expectGone([secret]);
    const row = page.getByRole('row').filter({ hasText: 'till sync' });
    await row.filter({ hasText: secret.slice(-4) }).waitFor();

    await row.getByRole('button', { name: /Actions/ }).click();
    await page.getByRole('menuitem', { name: 'Replace secret' }).click();
    await dialog().getByLabel('The former secret works for').selectOption({ label: 'no longer: it may have leaked' });
    await press('Replace secret', dialog());
    const [replaced = ''] = await shownSecrets();
    expect(replaced).not.toBe(secret);
    await expectGone([replaced]);
    expect((await swb.product.http({ method: 'GET', path: '/api/v1/me', token: secret })).status).toBe(401);

    await row.getByRole('button', { name: /Actions/ }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await press('Revoke', dialog());
    await row.waitFor({ state: 'detached' });
    expect((await swb.product.http({ method: 'GET', path: '/api/v1/me', token: replaced })).status).toBe(401);
  });

  test('a refusal of one field stands beside that field', async () => {
    await press('New token');
    await dialog().getByLabel('contacts:read', { exact: true }).check();
    await dialog().getByLabel('Where it is accepted from').fill('not a network');
    await press('Create token', dialog());
    const field = dialog().getByLabel('Where it is accepted from');
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await dialog().locator('[aria-invalid="true"]:focus').waitFor();
    // it is corrected and sent again, with another key; and what was typed is not thrown away by one press
    await page.keyboard.press('Escape');
    await press('Keep editing', dialog());
    await field.fill('127.0.0.1');
    await press('Create token', dialog());
    await expectGone(await shownSecrets());
  });

  test('an incoming address is shown whole once, with the secret of its sender', async () => {
    await go('/developers/addresses');
    await press('New address');
    await dialog().getByLabel('What is it for?').fill('second shop');
    await press('Create address', dialog());
    const secrets = await shownSecrets();
    expect(secrets).toHaveLength(2);
    expect(secrets[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/shop\/webhooks\/webshop\/\S{20,}$/);
    await expectGone(secrets);
    await page.getByRole('row').filter({ hasText: 'second shop' }).filter({ hasText: 'signed' }).waitFor();
  });
});

test('the event log shows what happens now on top without reading itself again, and does not move what a user has scrolled to', async () => {
  await go('/developers');
  const rows = page.locator('.data-table .lines .line');
  await rows.first().waitFor();
  const reads: string[] = [];
  const record = (request: Request): void => void (request.url().includes('before=') && reads.push(request.url()));
  page.on('request', record);
  const addUser = (nth: number) =>
    swb.product.api.users.create({ body: { name: `Event ${nth}`, email: `event${nth}@alder.example`, role: 'viewer' } });
  const { data: first } = await addUser(1);
  await rows
    .first()
    .filter({ hasText: 'user.created' })
    .filter({ hasText: `user:${first.id}` })
    .waitFor();
  await page.evaluate('document.querySelector(".data-table").scrollTop = 60');
  const { data: second } = await addUser(2);
  await page.getByRole('button', { name: '1 new event' }).click();
  await rows
    .first()
    .filter({ hasText: `user:${second.id}` })
    .waitFor();
  expect(reads).toEqual([]);
  page.off('request', record);
});

describe('a receiver', () => {
  let receiver: Receiver;
  let secret = '';
  const refused = (): number => receiver.calls.filter(({ answered }) => answered === 503).length;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(async () => {
    // the product goes on after this file: what is sent to nowhere would be tried for days
    const { data } = await swb.product.api.webhooks.list();
    await Promise.all(data.filter(({ url }) => url === receiver.url).map(({ id }) => swb.product.api.webhooks.delete({ params: { id } })));
    receiver.server.close();
    receiver.server.closeAllConnections();
  });

  test('is created and tested: the call that it gets is signed with the secret that was shown once', async () => {
    await go('/developers/webhooks');
    await press('New webhook');
    await dialog().getByLabel('URL').fill(receiver.url);
    await press('Create webhook', dialog());
    [secret = ''] = await shownSecrets();
    expect(secret).toMatch(/^whsec_/);
    await expectGone([secret]);
    await page.getByRole('link', { name: receiver.url }).click();
    await press('Send a test');
    await expect.poll(() => receiver.calls.length, { timeout: 60_000 }).toBe(1);
    expect(receiver.calls[0]?.verified(secret)).toBe(true);
    await swb.product.idle();
    await page.locator('.page-header .badge').filter({ hasText: 'healthy' }).waitFor({ timeout: 20_000 });
  }, 180_000);

  test('is broken: each try is seen with its answer, and the same event comes again', async () => {
    receiver.answer = 503;
    await press('Send a test');
    await expect.poll(refused, { timeout: 60_000 }).toBeGreaterThanOrEqual(1);
    await swb.product.control('POST', 'clock', { advance_seconds: 60 });
    await expect.poll(refused, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
    expect(new Set(receiver.calls.filter(({ answered }) => answered === 503).map(({ id }) => id)).size).toBe(1);
    await page.locator('.page-header .badge').filter({ hasText: 'failing' }).waitFor({ timeout: 20_000 });
    await go('/developers/deliveries?status=pending');
    await page.getByRole('button', { name: 'webhook.test' }).first().click();
    const tries = dialog().locator('.tries tbody tr');
    await expect.poll(() => tries.count(), { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
    expect(await tries.first().textContent()).toContain('HTTP 503');
    await dialog().getByRole('region', { name: 'Response' }).filter({ hasText: 'out of order' }).waitFor();
    await dialog().getByRole('region', { name: 'Request' }).filter({ hasText: 'webhook.test' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
  }, 180_000);

  test('is mended when its tries are used up: what failed since then is replayed once, what was delivered is not', async () => {
    // eleven tries, about 69 hours, in which the session ends: the user goes, and comes back
    await page.context().close();
    for (const seconds of [40, 140, 680, 2_000, 8_000, 24_000, 48_000, 95_500, 95_500]) {
      await swb.product.control('POST', 'clock', { advance_seconds: seconds });
      await swb.product.idle();
    }
    const lost = receiver.calls.find(({ answered }) => answered === 503)?.id ?? '';
    page = await swb.signIn();
    await go('/developers/deliveries?status=failed');
    await page.getByRole('row').filter({ hasText: lost }).waitFor({ timeout: 20_000 });
    // three days have events of their own, such as those of the daily look at the account: the tries of a late one go on
    const { data: failed } = await swb.product.api.deliveries.list({ query: { status: 'failed' } });
    receiver.answer = 200;
    const before = receiver.calls.length;
    const delivered = receiver.calls.find(({ answered }) => answered === 200)?.id ?? '';
    await press('Replay failed');
    await dialog().getByLabel('Since').selectOption({ label: '30 days ago' });
    await press('Replay failed', dialog());
    await page
      .locator('.toast')
      .filter({ hasText: `Sent again: ${failed.length}.` })
      .waitFor({ timeout: 20_000 });
    await expect.poll(() => receiver.calls.length, { timeout: 30_000 }).toBeGreaterThan(before);
    await swb.product.idle();
    const since = receiver.calls.slice(before).map(({ id }) => id);
    expect(since.filter((id) => id === lost)).toHaveLength(1);
    expect(since).not.toContain(delivered);
    await go('/developers/deliveries?status=delivered');
    await page.getByRole('row').filter({ hasText: lost }).waitFor({ timeout: 20_000 });
  }, 200_000);

  test('has its signature tested in the browser: right, changed, and with a secret that is none', async () => {
    const [call] = receiver.calls.slice(-1);
    await go('/developers/signatures');
    await press('Fill in an example');
    const result = page.getByRole('status').filter({ hasText: /signature/i });
    await result.filter({ hasText: 'The signature is right' }).waitFor();
    await page.getByLabel('Raw body, byte for byte').fill(call?.body ?? '');
    await result.filter({ hasText: 'does not match' }).waitFor();
    await page.getByLabel('Signing secret').fill('not base64 at all');
    await page.getByText('That is no secret').waitFor();
  });
});

describe('the connect walk', () => {
  const number = {
    company_id: 1,
    waba_id: '200000000000077',
    phone_number_id: '100000000000077',
    display_phone_number: '15550100077',
    access_token: 'EAAright-token-of-the-second-number',
    app_secret: '0123456789abcdef0123456789abcdef',
  };

  test('is red with a reason when the token is wrong, and green against the simulator once it is replaced', async () => {
    const answer = await swb.product.control('PUT', 'provider/numbers', {
      ...number,
      webhook_url: `${swb.product.baseUrl}/webhook/messaging/receive/nothing-yet`,
      verify_token: 'nothing yet',
    });
    expect(answer.status, answer.raw).toBe(200);
    await go('/settings/numbers');
    await page.getByRole('link', { name: 'Connect a number' }).click();
    await page.getByLabel('Phone', { exact: true }).fill('+1 555 010 0077');
    await page.getByLabel('Phone number id').fill(number.phone_number_id);
    await page.getByLabel('WhatsApp Business account id').fill(number.waba_id);
    await page.getByLabel('Access token').fill('EAAwrong-token');
    await page.getByLabel('App secret').fill(number.app_secret);
    await press('Add and check');
    await page.locator('.notice.bad').filter({ hasText: 'Something has to be fixed' }).waitFor({ timeout: 30_000 });
    // its remedy names the button of this page
    await page.locator('.findings .wrong').filter({ hasText: 'access token' }).filter({ hasText: '“Replace secrets”' }).waitFor();
    expect(await tracesOf('EAAwrong-token')).toEqual([]);
    expect(await findings(page)).toEqual([]);
    expect(await page.getByRole('button', { name: 'Connect', exact: true }).count()).toBe(0);

    await press('Replace secrets');
    await dialog().getByLabel('Access token').fill(number.access_token);
    await press('Replace', dialog());
    await page.getByRole('button', { name: 'Connect', exact: true }).waitFor({ timeout: 30_000 });
    await press('Connect');
    await page.locator('.notice.good').filter({ hasText: 'Connected' }).waitFor({ timeout: 30_000 });
    expect(await page.locator('.findings .wrong').count()).toBe(0);
    expect(await findings(page)).toEqual([]);
    for (const secret of [number.access_token, number.app_secret]) expect(await tracesOf(secret)).toEqual([]);
    await swb.product.control('POST', 'provider/inbound', {
      company_id: 1,
      phone_number_id: number.phone_number_id,
      from: '4917699990001',
      name: 'First Customer',
      type: 'text',
      text: 'to the new number',
    });
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.locator('.conversation').filter({ hasText: 'First Customer' }).waitFor({ timeout: 20_000 });
  }, 120_000);
});

test('settings are saved by keys alone, which go on from the button that saved', async () => {
  await go('/settings');
  const name = page.getByLabel('Name of the company');
  const save = page.getByRole('button', { name: 'Save' });
  const before = await name.inputValue();
  for (const next of [`${before} and Sons`, before]) {
    await name.fill(next);
    await save.focus();
    await page.keyboard.press('Enter');
    await page.locator('.toast').filter({ hasText: 'Saved' }).last().waitFor();
    await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Save');
  }
});

test('the focus of what went comes back to the page, also where a dialog that is closing still covers it', async () => {
  await go('/settings');
  await page.evaluate(`{
    const gone = document.createElement('button');
    document.querySelector('.main').append(gone);
    gone.focus();
    document.querySelector('#app').inert = true;
    gone.remove();
  }`);
  // several looks, in none of which the page takes a focus
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 400))');
  expect(await page.evaluate('document.activeElement === document.body')).toBe(true);
  await page.evaluate('document.querySelector("#app").inert = false');
  await expect.poll(() => page.evaluate('document.activeElement.closest("#app") !== null')).toBe(true);
});

test('the audit log names who changed what, and no secret', async () => {
  await go('/settings/audit');
  await page.getByRole('button', { name: 'Number added: 15550100077' }).first().click();
  await dialog().getByText('Demo Owner').waitFor();
  await dialog().getByText('(secret)').first().waitFor();
  await page.keyboard.press('Escape');
});

test('a viewer reads the settings, is offered no change of them, and sees no other area than its own', async () => {
  const viewer = await swb.signIn('Viewer');
  await viewer.goto(`${swb.product.baseUrl}/console/settings`);
  await viewer.getByText('To change it needs the role Admin.').waitFor();
  expect(await viewer.getByRole('button', { name: 'Save' }).count()).toBe(0);
  expect(await viewer.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
  await viewer.goto(`${swb.product.baseUrl}/console/settings/people`);
  await viewer.getByRole('row').filter({ hasText: 'Demo Owner' }).waitFor();
  expect(await viewer.getByRole('button', { name: 'Add person' }).count()).toBe(0);
  await viewer.context().close();
});

test('a list of thousands keeps fewer than 100 rows in the document, and filters are in the address', async () => {
  await page.route('**/api/v1/users', (route) =>
    route.fulfill({
      json: {
        status: 'success',
        message: '',
        data: Array.from({ length: 5_000 }, (_, index) => ({
          id: index + 1,
          name: `Person ${index + 1}`,
          email: `person${index + 1}@example.com`,
          role: index % 2 === 0 ? 'member' : 'viewer',
          status: 'active',
          created_at: '2026-11-01T08:00:00Z',
          updated_at: '2026-11-01T08:00:00Z',
        })),
      },
    }),
  );
  await go('/settings/people');
  await page.getByRole('row').filter({ hasText: 'Person 1' }).first().waitFor();
  expect(await page.getByRole('row').count()).toBeLessThan(100);
  expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('5001');
  await page.getByLabel('Search').fill('person 4999');
  await page.getByRole('row').filter({ hasText: 'Person 4999' }).waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('person 4999');
  const [file] = await Promise.all([page.waitForEvent('download'), press('CSV of what is shown')]);
  expect(file.suggestedFilename()).toBe('people.csv');
  await page.unroute('**/api/v1/users');
});

test('an answer that does not come is said in words, and reading again works', async () => {
  await page.route('**/api/v1/numbers', (route) =>
    route.fulfill({ status: 500, json: { status: 'error', code: 'internal_error', message: 'Broken.' } }),
  );
  await go('/settings/numbers');
  await page.getByRole('alert').filter({ hasText: 'This failed on our side' }).waitFor({ timeout: 20_000 });
  expect(await findings(page)).toEqual([]);
  await page.unroute('**/api/v1/numbers');
  await press('Try again', page.getByRole('alert'));
  await page.getByRole('link', { name: '+15550100001' }).waitFor({ timeout: 20_000 });
});

test('the browser complains of nothing, and nothing is asked of another host', () => {
  expect(swb.complaints).toEqual([]);
  expect(swb.foreign).toEqual([]);
});
