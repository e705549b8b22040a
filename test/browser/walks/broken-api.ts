import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { breakApi, type Fault } from '../../support/broken-api.ts';
import { type Console, startConsole } from '../../support/console.ts';
import { composer, customerOf, messageOf, openThread } from '../../support/inbox-page.ts';
import { isFullSize } from '../../support/run-size.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/**
 * At each step of writing, attaching, sending and scheduling the API breaks in each way: what was written stays on the page, reaches the provider once, and the
 * page goes on without being loaded anew.
 */
let swb: Console;
let page: Page;
let contactId: number;
const customer = { phone: '4917833330001', name: 'Ada Yonath' };
const { accepted, inbound } = customerOf(() => swb);

beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  await swb.write(customer.phone, customer.name, 'Hello');
  await swb.product.idle();
  page = await swb.signIn();
  await openThread(page, customer.name);
  contactId = Number(/\/inbox\/(\d+)/.exec(page.url())?.[1]);
  await page.evaluate('globalThis.isFirstDocument = true');
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const isCall =
  (method: string, path: RegExp) =>
  (request: Request): boolean =>
    request.method() === method && path.test(new URL(request.url()).pathname);
const sendsText = isCall('POST', /\/messages\/text$/);

interface Step {
  name: string;
  /** The call with which the API breaks. */
  breaksWith: (request: Request) => boolean;
  hasFile?: true;
  isScheduled?: true;
  /** Broken while it is written, and mended before it is sent. */
  isBeforeSending?: true;
}
const steps: readonly Step[] = [
  { name: 'writing', breaksWith: isCall('GET', /\/events$/), isBeforeSending: true },
  { name: 'attaching', breaksWith: isCall('GET', /\/events$/), isBeforeSending: true, hasFile: true },
  { name: 'sending', breaksWith: sendsText },
  { name: 'reading what was sent', breaksWith: isCall('GET', /\/conversations\/\d+\/messages$/) },
  { name: 'asking where a file goes', breaksWith: isCall('POST', /\/media\/uploads$/), hasFile: true },
  {
    name: 'uploading a file',
    breaksWith: (request) => request.method() === 'PUT' && request.url().includes('X-Amz-Signature'),
    hasFile: true,
  },
  { name: 'sending with a file', breaksWith: sendsText, hasFile: true },
  { name: 'scheduling', breaksWith: sendsText, isScheduled: true },
];
const faults: readonly Fault[] = [
  'refuses',
  'dies behind the call',
  'is slow',
  'answers 429',
  'answers 500',
  'is offline',
  'never answers',
];
const quick = faults.slice(0, -1);

/** Every step with every fault; in the quick form each step with one of them, and no two alike. */
const rows = steps.flatMap((step, nth) =>
  (isFullSize() ? faults : [quick[nth % quick.length] ?? 'refuses']).map((fault) => [step.name, fault, step] as const),
);

test.each(rows)(
  '%s while the API %s: nothing is lost, nothing goes twice, and the page goes on',
  { timeout: 240_000 },
  async (name, fault, step) => {
    const text = `${name} / ${fault}`;
    const file = `${name} ${fault}.txt`.replaceAll(' ', '-');
    const broken = await breakApi(page.context(), fault, step.breaksWith);
    try {
      if (step.isBeforeSending) await expect.poll(broken.struck, { timeout: 60_000 }).toBeGreaterThan(0);
      await composer(page).fill(text);
      if (step.hasFile)
        await page.locator('input[type=file]').setInputFiles({ name: file, mimeType: 'text/plain', buffer: Buffer.from(text) });
      if (step.isBeforeSending) {
        expect(await composer(page).inputValue()).toBe(text);
        await broken.mend();
      }
      if (step.isScheduled) await page.getByRole('button', { name: 'Send later' }).first().click();
      await composer(page).press('Enter');
      await expect.poll(broken.struck, { timeout: 60_000 }).toBeGreaterThan(0);
      await messageOf(page, text).first().waitFor();
      // the page has given up, or has got what it wanted
      const failed = messageOf(page, text).getByRole('button', { name: 'Try again' });
      if (!step.isBeforeSending && fault !== 'is slow' && step.breaksWith !== steps[3]?.breaksWith)
        await failed.first().waitFor({ timeout: 100_000 });
    } finally {
      await broken.mend();
    }
    const failed = messageOf(page, text).getByRole('button', { name: 'Try again' });
    await expect
      .poll(
        async () => {
          // it may go by itself meanwhile
          if ((await failed.count()) > 0)
            await failed
              .first()
              .click({ timeout: 1_000 })
              .catch(() => undefined);
          const isThere = messageOf(page, text)
            .getByText(/^Sends /)
            .or(messageOf(page, text).getByLabel(/^(Sent|Delivered|Read)$/));
          return [await isThere.count(), await failed.count(), await messageOf(page, text).count()];
        },
        { timeout: 60_000, interval: 500 },
      )
      .toEqual([1, 0, 1]);
    await swb.product.idle();
    if (step.isScheduled) {
      const { data } = await swb.product.api.messages.list({ query: { contact_id: contactId, status: 'scheduled', limit: 100 } });
      expect(data.filter(({ value }) => value === text)).toHaveLength(1);
      await messageOf(page, text).getByRole('button', { name: 'Do not send' }).click();
      await messageOf(page, text).getByText('Cancelled').waitFor();
      expect(await sentWith(text)).toBe(0);
    } else expect(await sentWith(text)).toBe(1);
    expect(await composer(page).inputValue()).toBe('');
    expect(await page.locator('.attachments').count()).toBe(0);
    // what comes is shown again, in the same document
    await inbound({ from: customer.phone, name: customer.name, type: 'text', text: `After: ${text}` });
    await messageOf(page, `After: ${text}`).first().waitFor();
    await page.getByText(/^Not connected since/).waitFor({ state: 'detached' });
    expect(await page.evaluate('globalThis.isFirstDocument')).toBe(true);
  },
);

/** How many messages with this text, or with a file and this text below it, the provider has. */
const sentWith = async (text: string): Promise<number> =>
  (await accepted(customer.phone)).filter(({ payload }) => JSON.stringify(payload).includes(JSON.stringify(text))).length;

test('the browser complains of nothing but what was broken', () => {
  expect(swb.foreign).toEqual([]);
  expect(swb.complaints.filter((each) => !/ERR_|status of (429|500)|blocked by CORS/.test(each))).toEqual([]);
});
