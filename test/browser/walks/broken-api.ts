import type { Locator, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { breakApi, type Broken, type Fault, killAt } from '../../support/broken-api.ts';
import { type Console, startConsole } from '../../support/console.ts';
import { composer, customerOf, messageOf, openThread } from '../../support/inbox-page.ts';
import { type Product, type RunningProduct, startProduct } from '../../support/product.ts';
import { isFullSize } from '../../support/run-size.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/**
 * At each step of writing, attaching, sending, scheduling, changing what is scheduled, noting and sending a template the API breaks in each way: what was written
 * stays on the page, is done once, and the page goes on without being loaded anew.
 */
const customer = { phone: '4917833330001', name: 'Ada Yonath' };

/** A user with a conversation open. */
interface Desk {
  swb: Console;
  page: Page;
  contactId: number;
}

const openDesk = async (product: RunningProduct): Promise<Desk> => {
  const swb = await startConsole(product);
  await swb.write(customer.phone, customer.name, 'Hello');
  await product.idle();
  const page = await swb.signIn();
  await openThread(page, customer.name);
  await page.evaluate('globalThis.isFirstDocument = true');
  return { swb, page, contactId: Number(/\/inbox\/(\d+)/.exec(page.url())?.[1]) };
};

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk(sharedProduct(1));
}, 200_000);
afterAll(() => desk?.swb[Symbol.asyncDispose]());

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
  { name: 'writing', breaksWith: isCall('GET', /\/sync$/), isBeforeSending: true },
  { name: 'attaching', breaksWith: isCall('GET', /\/sync$/), isBeforeSending: true, hasFile: true },
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

/** Every step with every fault; in the quick form each step with one of them, a fault no more often than needed. */
const rowsOf = <S extends { name: string }>(of: readonly S[], from = 0) =>
  of.flatMap((step, nth) =>
    (isFullSize() ? faults : [quick[(from + nth) % quick.length] ?? 'refuses']).map((fault) => [step.name, fault, step] as const),
  );

test.each(rowsOf(steps))(
  '%s while the API %s: nothing is lost, nothing goes twice, and the page goes on',
  { timeout: 240_000 },
  async (name, fault, step) => {
    const isAnswered = step.isBeforeSending || fault === 'is slow' || step.name === 'reading what was sent';
    await answerWhile(desk, step, `${name} / ${fault}`, await breakApi(desk.page.context(), fault, step.breaksWith), !isAnswered);
  },
);

/** Something that is done by a press, and can be pressed again where it failed. */
interface Press {
  name: string;
  breaksWith: (request: Request) => boolean;
  /** Everything before the press. */
  prepare: (page: Page, text: string) => Promise<void>;
  button: (page: Page, text: string) => Locator;
  isDone: (page: Page, text: string) => Promise<boolean>;
  /** How often it was done, as the product has it. */
  times: (at: Desk, text: string) => Promise<number>;
}
const noteField = (page: Page): Locator => page.getByRole('textbox', { name: 'Note' });
const presses: readonly Press[] = [
  {
    name: 'noting',
    breaksWith: isCall('POST', /\/conversations\/\d+\/notes$/),
    prepare: async (page, text) => {
      await page.getByRole('tab', { name: 'Note' }).click();
      await noteField(page).fill(text);
    },
    button: (page) => page.getByRole('button', { name: 'Save note' }),
    isDone: async (page, text) => (await composer(page).count()) > 0 && (await messageOf(page, text).count()) === 1,
    times: async ({ swb, contactId }, text) =>
      (await swb.product.api.conversations.listNotes({ params: { id: contactId } })).data.filter(({ body }) => body === text).length,
  },
  {
    name: 'sending a template',
    breaksWith: isCall('POST', /\/messages\/template$/),
    prepare: async (page, text) => {
      await page.getByRole('button', { name: 'Templates  T' }).click();
      await page.getByRole('button', { name: /order_update/ }).click();
      await page.getByRole('textbox', { name: 'Value of {{1}}' }).fill(text);
      await page.getByRole('textbox', { name: 'Value of {{2}}' }).fill('A-1');
    },
    button: (page) => page.getByRole('button', { name: 'Send template' }),
    isDone: async (page, text) => (await page.getByRole('dialog').count()) === 0 && (await messageOf(page, text).count()) === 1,
    times: async ({ swb }, text) =>
      (await customerOf(() => swb).accepted(customer.phone)).filter(({ payload }) => JSON.stringify(payload).includes(text)).length,
  },
  {
    // its text is in the field again, or at least in the thread as one that does not go
    name: 'changing what is scheduled',
    breaksWith: isCall('DELETE', /\/messages\/\d+$/),
    prepare: async (page, text) => {
      await composer(page).fill(text);
      await page.getByRole('button', { name: 'Send later' }).first().click();
      await composer(page).press('Enter');
      await messageOf(page, text)
        .getByText(/^Sends /)
        .waitFor();
    },
    button: (page, text) => messageOf(page, text).getByRole('button', { name: 'Change' }),
    isDone: async (page, text) => (await messageOf(page, text).getByText('Cancelled').count()) === 1,
    times: async ({ swb, contactId }, text) => {
      const { data } = await swb.product.api.conversations.listMessages({ params: { id: contactId }, query: { limit: 100 } });
      return data.filter(({ value, error }) => value === text && String(error?.code) === 'cancelled').length;
    },
  },
];

test.each(rowsOf(presses, steps.length))(
  '%s while the API %s: it is done once, and the page goes on',
  { timeout: 240_000 },
  async (name, fault, press) => pressWhile(desk, press, `${name} / ${fault}`, (page) => breakApi(page.context(), fault, press.breaksWith)),
);

/** In the whole form, by the power cord: on a product of its own. */
describe.runIf(isFullSize())('the product is killed and started again', () => {
  let product: Product;
  let own: Desk;
  beforeAll(async () => {
    product = await startProduct({ enforcesWindow: true });
    own = await openDesk(product);
  }, 300_000);
  afterAll(async () => {
    await own?.swb[Symbol.asyncDispose]();
    await product?.stop();
  });

  test.each(steps.map((step) => [step.name, step] as const))(
    'amid %s: nothing is lost, nothing goes twice, and the page goes on',
    { timeout: 400_000 },
    async (name, step) => answerWhile(own, step, `${name} / killed`, await killAt(own.page.context(), product, step.breaksWith), false),
  );

  test.each(presses.map((press) => [press.name, press] as const))(
    'amid %s: it is done once, and the page goes on',
    { timeout: 400_000 },
    async (name, press) => pressWhile(own, press, `${name} / killed`, (page) => killAt(page.context(), product, press.breaksWith)),
  );
});

/** Writes an answer while the API is broken, mends it, and sees what became of the answer. */
const answerWhile = async (
  { swb, page, contactId }: Desk,
  step: Step,
  text: string,
  broken: Broken,
  failsFirst: boolean,
): Promise<void> => {
  const { accepted } = customerOf(() => swb);
  const sent = async (): Promise<number> =>
    (await accepted(customer.phone)).filter(({ payload }) => JSON.stringify(payload).includes(JSON.stringify(text))).length;
  const failed = messageOf(page, text).getByRole('button', { name: 'Try again' });
  try {
    if (step.isBeforeSending) await expect.poll(broken.struck, { timeout: 60_000 }).toBeGreaterThan(0);
    await composer(page).fill(text);
    const file = { name: `${text.replaceAll(/[^a-z0-9]+/g, '-')}.txt`, mimeType: 'text/plain', buffer: Buffer.from(text) };
    if (step.hasFile) await page.locator('input[type=file]').setInputFiles(file);
    if (step.isBeforeSending) {
      expect(await composer(page).inputValue()).toBe(text);
      await broken.mend();
    }
    if (step.isScheduled) await page.getByRole('button', { name: 'Send later' }).first().click();
    await composer(page).press('Enter');
    await expect.poll(broken.struck, { timeout: 60_000 }).toBeGreaterThan(0);
    await messageOf(page, text).first().waitFor();
    if (failsFirst) await failed.first().waitFor({ timeout: 100_000 });
  } finally {
    await broken.mend();
  }
  const isThere = messageOf(page, text)
    .getByText(/^(Sends |Outcome unknown|Not delivered)/)
    .or(messageOf(page, text).getByLabel(/^(Sent|Delivered|Read|Outcome unknown|Not delivered)$/));
  await expect
    .poll(
      async () => {
        // it may go by itself meanwhile
        if ((await failed.count()) > 0)
          await failed
            .first()
            .click({ timeout: 1_000 })
            .catch(() => undefined);
        return [(await isThere.count()) > 0, await failed.count(), await messageOf(page, text).count()];
      },
      { timeout: 90_000, interval: 500 },
    )
    .toEqual([true, 0, 1]);
  await swb.product.idle();
  if (step.isScheduled) {
    const { data } = await swb.product.api.messages.list({ query: { contact_id: contactId, status: 'scheduled', limit: 100 } });
    expect(data.filter(({ value }) => value === text)).toHaveLength(1);
    await messageOf(page, text).getByRole('button', { name: 'Do not send' }).click();
    await messageOf(page, text).getByText('Cancelled').waitFor();
    expect(await sent()).toBe(0);
  } else if (broken.mayBeUnknown) expect(await sent()).toBeLessThanOrEqual(1);
  else expect(await sent()).toBe(1);
  expect(await composer(page).inputValue()).toBe('');
  expect(await page.locator('.attachments').count()).toBe(0);
  await expectGoesOn(swb, page, text);
};

/** Does what a press does while the API is broken, and again once it is mended. */
const pressWhile = async (at: Desk, press: Press, text: string, breakIt: (page: Page) => Promise<Broken>): Promise<void> => {
  const { swb, page } = at;
  await press.prepare(page, text);
  const broken = await breakIt(page);
  try {
    await press.button(page, text).click();
    await expect.poll(broken.struck, { timeout: 60_000 }).toBeGreaterThan(0);
  } finally {
    await broken.mend();
  }
  await expect
    .poll(
      async () => {
        if (await press.isDone(page, text)) return true;
        // where its answer was lost it is shown by itself, and the button goes
        await press
          .button(page, text)
          .click({ timeout: 1_000 })
          .catch(() => undefined);
        return false;
      },
      { timeout: 90_000, interval: 1_000 },
    )
    .toBe(true);
  await swb.product.idle();
  const times = await press.times(at, text);
  expect([1, ...(broken.mayBeUnknown ? [0] : [])]).toContain(times);
  await composer(page).fill('');
  if ((await page.getByRole('button', { name: 'Send later', pressed: true }).count()) > 0)
    await page.getByRole('button', { name: 'Send later', pressed: true }).click();
  await expectGoesOn(swb, page, text);
};

/** What comes is shown again, in the same document. */
const expectGoesOn = async (swb: Console, page: Page, text: string): Promise<void> => {
  await customerOf(() => swb).inbound({ from: customer.phone, name: customer.name, type: 'text', text: `After: ${text}` });
  await messageOf(page, `After: ${text}`).first().waitFor();
  await page.getByText(/^Not connected since/).waitFor({ state: 'detached' });
  expect(await page.evaluate('globalThis.isFirstDocument')).toBe(true);
};

test('the browser complains of nothing but what was broken', () => {
  expect(desk.swb.foreign).toEqual([]);
  expect(desk.swb.complaints.filter((each) => !/ERR_|status of (429|500)|blocked by CORS/.test(each))).toEqual([]);
});
