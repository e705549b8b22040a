import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Console, startConsole, visit } from '../../support/console.ts';
import { handsOn } from '../../support/hands.ts';
import { composer, customerOf, messageOf } from '../../support/inbox-page.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** Two users of one company change the same things at once: neither loses what the other wrote, nothing is sent twice, and each sees the other's change by itself. */
let swb: Console;
let one: Page;
let other: Page;
const hands = [handsOn(() => one), handsOn(() => other)] as const;
const customer = { phone: '4915177700050', name: 'Vera Santos' };
let contact: number;

beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  const { api } = swb.product;
  await swb.write(customer.phone, customer.name, 'Is the table still there?');
  const isThere = async (): Promise<boolean> => (await api.contacts.list({ query: { search: customer.phone } })).data.length === 1;
  await vi.waitUntil(isThere, { timeout: 60_000, interval: 200 });
  contact = (await api.contacts.list({ query: { search: customer.phone } })).data[0]?.id ?? 0;
  [one, other] = [await swb.signIn(), await swb.signIn('Admin')];
  for (const page of [one, other]) page.setDefaultTimeout(60_000);
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const field = (page: Page | Locator, name: string): Locator => page.getByLabel(name, { exact: true }).first();
const both = <T>(act: (page: Page, at: (typeof hands)[number]) => Promise<T>): Promise<T[]> =>
  Promise.all([act(one, hands[0]), act(other, hands[1])]);

describe('two users at once', () => {
  test('change two fields of one contact from forms that were open together: both stay, and each sees the other one', async () => {
    await both(async (page, { press }) => {
      await visit(page, `/contacts/${contact}`);
      await press('Edit', page.getByRole('complementary', { name: 'Contact' }));
      await page.getByRole('dialog').waitFor();
    });
    await field(hands[0].dialog(), 'City').fill('Lagos');
    await field(hands[1].dialog(), 'Company').fill('Santos Ltd');
    await both((_, { press, dialog }) => press('Save', dialog()).then(() => dialog().waitFor({ state: 'detached' })));
    await both(async (page) => {
      const card = page.getByRole('complementary', { name: 'Contact' });
      await card.getByText('Lagos').waitFor();
      await card.getByText('Santos Ltd').waitFor();
    });
    const { data } = await swb.product.api.contacts.get({ params: { id: contact } });
    expect([data.city, data.company]).toEqual(['Lagos', 'Santos Ltd']);
  });

  test('answer one contact: each answer is sent once, and both stand in both threads in one order', async () => {
    const { acceptedTexts } = customerOf(() => swb);
    await both((page) => page.goto(`${swb.product.baseUrl}/console/inbox/${contact}`));
    await both((page, { press }) =>
      composer(page)
        .fill(page === one ? 'It is, until six.' : 'It is, come by.')
        .then(() => press('Send', page)),
    );
    await both(async (page) => {
      for (const words of ['It is, until six.', 'It is, come by.'])
        await messageOf(page, words).getByLabel('Read', { exact: true }).waitFor({ timeout: 60_000 });
    });
    const order = (page: Page): Promise<string[]> => page.locator('.message .words').allTextContents();
    expect(await order(one)).toEqual(await order(other));
    for (const words of ['It is, until six.', 'It is, come by.']) expect(await acceptedTexts(customer.phone, words)).toBe(1);
  });

  test('one of them closes the conversation, and the other sees it closed', async () => {
    await hands[0].press('Close', one.locator('.thread-header'));
    await other.locator('.thread-header').getByText('Open again').waitFor();
    expect(swb.complaints).toEqual([]);
  });
});
