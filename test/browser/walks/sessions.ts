import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '../../support/console.ts';
import { composer, messageOf } from '../../support/inbox-page.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** Two companies and two users in one browser: nothing of one is seen, kept or sent by the other. */
let swb: Console;
/** A conversation of company 1 and one of company 2, which have the same number. */
let id: number;
const phoneOf = { 1: '4915770000001', 2: '4915770000002' } as const;

beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  const conversationsOf = async (company: 1 | 2) => (await sharedProduct(company).api.listConversations({ query: { limit: 100 } })).data;
  const write = (company: 1 | 2, from: string): Promise<unknown> =>
    swb.product.control('POST', 'provider/inbound', { company_id: company, from, name: `Customer ${from}`, type: 'text', text: 'Hello' });
  for (const company of [1, 2] as const) await write(company, phoneOf[company]);
  const both = async () => {
    const others = new Map((await conversationsOf(2)).map((each) => [each.id, each]));
    for (const first of await conversationsOf(1)) {
      const second = others.get(first.id);
      if (second) return { first, second };
    }
    return undefined;
  };
  let found = await both();
  for (let nth = 10; !found && nth < 40; nth++, found = await both())
    for (const company of [1, 2] as const) await write(company, `49157700000${nth}`);
  if (!found) throw new Error('No conversation of one company has the number of one of the other.');
  // other walks have moved the clock, so that either service window may be closed
  await write(1, found.first.contact.phone ?? '');
  await write(2, found.second.contact.phone ?? '');
  await swb.product.control('POST', 'idle', { timeout_seconds: 60 });
  id = found.first.id;
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

let context: BrowserContext;
let page: Page;

beforeEach(async () => {
  page = await swb.open();
  context = page.context();
});
afterEach(() => context.close());

const signIn = async (company: 1 | 2, role = 'Owner', on = page): Promise<void> => {
  await on
    .getByRole('button', { name: role })
    .nth(company - 1)
    .click();
  await on.locator('.inbox').waitFor();
};
const signOut = async (on = page): Promise<void> => {
  await on.getByRole('button', { name: /^Your account/ }).click();
  await on.getByRole('menuitem', { name: 'Sign out' }).click();
  await on.locator('.sign-in .tile').first().waitFor();
};
const openConversation = async (on = page): Promise<void> => {
  await on.goto(`${swb.product.baseUrl}/console/inbox/${id}`);
  await composer(on).waitFor();
};
/** Leaves a message that failed, a draft of another and a draft of a note in the conversation of company 1. */
const leaveTraces = async (on = page): Promise<void> => {
  await context.route('**/api/v1/messages/text', (route) => route.abort('connectionreset'));
  await composer(on).fill('A message of company 1');
  await on.keyboard.press('Enter');
  await messageOf(on, 'A message of company 1').getByRole('button', { name: 'Try again' }).waitFor();
  await composer(on).fill('A draft of company 1');
  await on.getByRole('tab', { name: 'Note' }).click();
  await on.getByRole('textbox', { name: 'Note' }).fill('A note of company 1');
};
const everythingOf = (on = page): Promise<string> =>
  on.evaluate<string>(`JSON.stringify([
    { ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML, location.href, history.state,
    [...document.querySelectorAll('input, textarea')].map(({ value }) => value),
  ])`);
const expectNoTraces = async (on = page): Promise<void> => expect(await everythingOf(on)).not.toContain('of company 1');
/** What the provider took of all that was written for a customer of company 1. */
const sent = async (): Promise<string[]> => {
  const texts = [];
  for (const company of [1, 2]) {
    const { body } = await swb.product.control('GET', `provider/messages?company_id=${company}`);
    texts.push(...(body as { data: { payload: { text?: { body: string } } }[] }).data.map(({ payload }) => payload.text?.body ?? ''));
  }
  return texts.filter((text) => text.includes('of company 1'));
};

describe('signing out', () => {
  beforeEach(async () => {
    await page.goto(swb.product.baseUrl);
    await signIn(1);
    await openConversation();
    await leaveTraces();
  });

  test.each([
    ['another company', 2, 'Owner'],
    ['another user of the company', 1, 'Admin'],
  ] as const)('leaves nothing that %s could see or send', async (_, company, role) => {
    await signOut();
    expect(new URL(page.url()).search).toBe('');
    await expectNoTraces();
    await signIn(company, role);
    expect(new URL(page.url()).pathname).toBe('/console/inbox');
    await context.unroute('**/api/v1/messages/text');
    await openConversation();
    expect(await composer(page).inputValue()).toBe('');
    await page.getByRole('tab', { name: 'Note' }).click();
    expect(await page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('');
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await expectNoTraces();
    // until the empty page on which the browser began
    for (await page.goBack(); page.url().startsWith('http'); await page.goBack()) {
      await page.locator('.inbox, .sign-in').waitFor();
      await expectNoTraces();
    }
    expect(await sent()).toEqual([]);
  });
});

describe('another tab', () => {
  test.each([
    ['signs out and another company in', 'inbox', 'sign-in'],
    ['signs another company in over it', 'sign-in', 'inbox'],
  ])('that %s ends the page that stands open, which sends nothing more', async (_, begin, end) => {
    await page.goto(swb.product.baseUrl);
    await signIn(1);
    await openConversation();
    await leaveTraces();
    const other = await context.newPage();
    await other.goto(`${swb.product.baseUrl}/console/${begin}`);
    if (begin === 'inbox') await signOut(other);
    await signIn(2, 'Owner', other);
    await context.unroute('**/api/v1/messages/text');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/${end}`);
    await page
      .locator(end === 'inbox' ? '.conversation' : '.tile')
      .first()
      .waitFor();
    // of the second company now, where the number of the conversation is another customer's
    const companyId = await page.evaluate<number>(
      `fetch('/api/v1/me').then((answer) => answer.json()).then(({ data }) => data.company_id)`,
    );
    expect(companyId).toBe(swb.product.demo.companies[1]?.id);
    await expectNoTraces();
    await expectNoTraces(other);
    expect(await sent()).toEqual([]);
  });
});

describe('a session that ends by itself', () => {
  beforeEach(async () => {
    await page.goto(swb.product.baseUrl);
    await signIn(1);
    await openConversation();
    await composer(page).fill('A draft of company 1');
    await context.clearCookies();
    await page.locator('.sign-in .tile').first().waitFor();
  });

  test('brings the same user back to their place and their draft', async () => {
    await signIn(1);
    await expect.poll(() => composer(page).inputValue()).toBe('A draft of company 1');
    expect(new URL(page.url()).pathname).toBe(`/console/inbox/${id}`);
  });

  test('brings somebody else to neither', async () => {
    await signIn(2);
    expect(new URL(page.url()).pathname).toBe('/console/inbox');
    await openConversation();
    expect(await composer(page).inputValue()).toBe('');
    await expectNoTraces();
  });
});

test('a link that was opened before signing in is followed afterwards', async () => {
  await page.goto(`${swb.product.baseUrl}/console/inbox/${id}`);
  await signIn(1);
  await composer(page).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/console/inbox/${id}`);
});

test('the browser complains of nothing', () => {
  expect(swb.foreign).toEqual([]);
  expect(swb.complaints.filter((each) => !each.includes('status of 401'))).toEqual([]);
});
