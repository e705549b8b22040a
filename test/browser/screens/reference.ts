import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import openapi from '../../../openapi.json' with { type: 'json' };
import { startConsole, visit } from '../../support/console.ts';
import { violations } from '../../support/looks.ts';
import type { RunningProduct } from '../../support/product.ts';
import { isFullSize } from '../../support/run-size.ts';
import { sharedProduct } from '../../support/shared-product.ts';

let product: RunningProduct;
let browser: Browser;
let page: Page;
const foreign: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  product = sharedProduct(1);
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update'],
  });
  page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== product.baseUrl) foreign.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${product.baseUrl}/docs`);
  await page.getByRole('heading', { name: 'Send your first message' }).first().waitFor();
});
afterAll(async () => {
  await browser?.close();
});

test('the reference shows guides, errors, and every operation with a curl and a TypeScript example', async () => {
  const operations = Object.values(openapi.paths).flatMap((methods) => Object.values(methods)) as { operationId: string }[];
  const shown = await page.evaluate<string[]>(`[...document.querySelectorAll('[id*="operation/"]')].map(({ id }) => id)`);
  const missing = operations.filter(({ operationId }) => !shown.some((id) => id.endsWith(`operation/${operationId}`)));
  expect(missing.map(({ operationId }) => operationId)).toEqual([]);
  const first = page.locator('[id$="operation/sendText"]').first();
  await first.scrollIntoViewIfNeeded();
  await first.getByRole('tab', { name: 'TypeScript' }).click();
  await first.getByText('api.messages.sendText', { exact: false }).first().waitFor();
  await page.getByRole('heading', { name: 'Errors' }).first().waitFor();
  await page.screenshot({ path: join(mkdtempSync(join(tmpdir(), 'switchboard-pages-')), 'reference.png') });
});

test.each([
  ['otp', /verification/i],
  ['opt-out', /opt/i],
  ['pagination', /Pagination/],
  ['window_policy', /template|text/i],
  ['abandoned cart', /cart/i],
  ['invalid_cursor', /invalid_cursor/],
])('the search finds %s', async (query, expected) => {
  await page.getByRole('searchbox').fill(query);
  const found = page.locator('#results a');
  await found.first().waitFor();
  expect((await found.allTextContents()).join(' | ')).toMatch(expected);
  const target = ((await found.first().getAttribute('href')) ?? '').slice(1);
  await found.first().click();
  expect(await page.locator('#results').isHidden()).toBe(true);
  await page.waitForFunction(`(() => {
    const { top } = document.getElementById(${JSON.stringify(target)}).getBoundingClientRect();
    return top > -50 && top < innerHeight;
  })()`);
});

// the eight searches of a reviewer are these and those below: a word, and the line that answers it, below the header
test.each([
  ['rate limit', /limit/i],
  ['idempotency', /Idempotency/],
  ['131047', /Send your first message/],
  ['window_closed', /window_closed/],
  ['GDPR', /eras|privacy/i],
  ['multipart', /multipart/i],
])('the search for %s shows its answer below the header', async (query, expected) => {
  await page.getByRole('searchbox').fill(query);
  const found = page.locator('#results a').first();
  await expect.poll(() => found.textContent()).toMatch(expected);
  const target = ((await found.getAttribute('href')) ?? '').slice(1);
  await found.click();
  await isBelowHeader(target);
});

test('the search for migrate begins with a guide that has a page of its own', async () => {
  await page.getByRole('searchbox').fill('migrate');
  const found = page.locator('#results a').first();
  await expect.poll(() => found.textContent()).toContain('Move from');
  expect(await found.getAttribute('href')).toMatch(/^\/docs\/guides\/move-from-[a-z0-9]+$/);
  await page.getByRole('searchbox').fill('');
});

test.each([
  ['webhook signature', 'Receive webhooks'],
  ['billing', 'Usage and billing'],
  ['SDK', 'Send your first message'],
  ['sandbox', 'Send your first message'],
])('the search for %s begins with the guide %s, and shows it below the header', async (query, guide) => {
  await page.getByRole('searchbox').fill(query);
  const found = page.locator('#results a').first();
  await expect.poll(() => found.textContent()).toContain(guide);
  const target = ((await found.getAttribute('href')) ?? '').slice(1);
  await found.click();
  await isBelowHeader(target);
});

const isBelowHeader = (target: string): Promise<unknown> =>
  page.waitForFunction(`(() => {
    const { top } = document.getElementById(${JSON.stringify(target)}).getBoundingClientRect();
    return top >= document.querySelector('header').getBoundingClientRect().bottom - 1 && top < innerHeight;
  })()`);

test('the first text comes with the page itself, within a second of the second visit, whatever the document takes', async () => {
  const visitor = await browser.newPage();
  // its scripts and the document of 1.5 MB never come: what is read first needs neither
  await visitor.route(/\/docs\/.+/, () => undefined);
  const times: number[] = [];
  for (let visits = 0; visits < 4; visits++) {
    await visitor.goto(`${product.baseUrl}/docs`, { waitUntil: 'commit' });
    await visitor.getByRole('link', { name: 'Send your first message' }).waitFor();
    times.push(await visitor.evaluate<number>(firstText));
  }
  // the best of three warm visits: other programs share the machine
  expect(Math.min(...times.slice(1))).toBeLessThan(1_000);
  await visitor.close();
});

/** Milliseconds from the request of the page to the first text that is painted. */
const firstText = `new Promise((resolve) => {
  const seen = () => performance.getEntriesByName('first-contentful-paint')[0];
  if (seen()) return resolve(seen().startTime);
  new PerformanceObserver(() => seen() && resolve(seen().startTime)).observe({ type: 'paint', buffered: true });
})`;

test('the pages of a guide, an operation and an error have no serious finding of axe', async () => {
  const found: string[] = [];
  for (const path of ['contents', 'guides/first-message', 'operations/sendText', 'errors/window_closed']) {
    const visitor = await browser.newPage();
    await visitor.goto(`${product.baseUrl}/docs/${path}`);
    found.push(...(await violations(visitor)).map((each) => `${path}: ${each}`));
    await visitor.close();
  }
  expect(found).toEqual([]);
});

test('the one page has none either, with all that is drawn when it is pressed', async () => {
  const operation = page.locator('[id$="operation/createCampaign"]').first();
  await operation.scrollIntoViewIfNeeded();
  await operation.getByRole('tab', { name: 'TypeScript' }).click();
  await operation.getByRole('button', { name: /422/ }).first().click();
  // the whole of it takes half a minute: test:all
  expect(await violations(page, isFullSize() ? [] : ['header', '[id$="operation/createCampaign"]'])).toEqual([]);
}, 300_000);

test('at 390 px the page has no sideways overflow, and no error code breaks inside a word', async () => {
  const phone = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await phone.goto(`${product.baseUrl}/docs`);
  await phone.getByRole('heading', { name: 'Errors' }).first().waitFor();
  const widths = await phone.evaluate<[string, number, number][]>(
    `[['page', document.documentElement.scrollWidth, innerWidth],
      ...[...document.querySelectorAll('main table')].map((each) => ['table', each.scrollWidth, each.clientWidth])]`,
  );
  expect(widths.filter(([, content, available]) => content > available)).toEqual([]);
  const heights = await phone.evaluate<number[]>(
    `[...document.querySelectorAll('[id="section/Errors"] li > code:first-child')].map((code) => code.getClientRects().length)`,
  );
  expect(heights.length).toBeGreaterThan(50);
  expect(Math.max(...heights)).toBe(1);
  await phone.close();
});

test('nothing is asked of another host, and the browser complains of nothing', () => {
  expect(foreign).toEqual([]);
  expect(complaints).toEqual([]);
});

test('without a script the page leads to the document', async () => {
  const bare = await browser.newPage({ javaScriptEnabled: false });
  await bare.goto(`${product.baseUrl}/docs`);
  const link = await bare.getByRole('link', { name: 'openapi.json' }).getAttribute('href');
  expect((await bare.request.get(`${product.baseUrl}${link}`)).status()).toBe(200);
});

test('an operation is called from the pages: a read at once, a write when the user agreed, and what is missing is named', async () => {
  await using swb = await startConsole(product);
  const own = await swb.signIn();
  await visit(own, '/developers/reference?operation=getContact');
  const form = own.locator('.try-it');
  const calls: string[] = [];
  own.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/v1/contacts/') || pathname === '/api/v1/groups') calls.push(`${request.method()} ${pathname}`);
  });
  await form.getByRole('button', { name: 'Call' }).click();
  await form.getByText('Must be given.').waitFor();
  await form.getByLabel('id', { exact: true }).fill('999999');
  await own.keyboard.press('Enter');
  await form.getByRole('status').filter({ hasText: 'HTTP 404' }).waitFor();
  await form.getByText('"code": "not_found"').waitFor();

  await visit(own, '/developers/reference?operation=createGroup');
  const call = form.getByRole('button', { name: 'Call' });
  await form.getByLabel('Body, as JSON').fill('{ "name": "Tried from the reference" }');
  expect(await call.getAttribute('aria-disabled')).toBe('true');
  await form.getByLabel(/It is called for real/).check();
  await call.click();
  await form
    .getByRole('status')
    .filter({ hasText: /HTTP 20[01]/ })
    .waitFor();
  expect(calls.filter((each) => !each.startsWith('GET /api/v1/groups'))).toEqual(['GET /api/v1/contacts/999999', 'POST /api/v1/groups']);
  expect(swb.complaints.filter((each) => !each.includes('404'))).toEqual([]);
});
