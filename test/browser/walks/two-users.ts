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
let lead: number;

beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  const { api } = swb.product;
  await swb.write(customer.phone, customer.name, 'Is the table still there?');
  const isThere = async (): Promise<boolean> => (await api.contacts.list({ query: { search: customer.phone } })).data.length === 1;
  await vi.waitUntil(isThere, { timeout: 60_000, interval: 200 });
  contact = (await api.contacts.list({ query: { search: customer.phone } })).data[0]?.id ?? 0;
  const pipeline = (await api.pipelines.create({ body: { name: 'Two users', template: 'sales' } })).data;
  const created = { contact_id: contact, pipeline_id: pipeline.id, title: 'Table', creation_key: crypto.randomUUID() };
  lead = (await api.leads.create({ body: created })).data.id;
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

  test('change one lead: what one is writing stays while the other saves, and is then saved over nothing', async () => {
    await both(async (page, { dialog }) => {
      await page.goto(`${swb.product.baseUrl}/console/sales?entry=${lead}`);
      await field(dialog(), 'Title').waitFor();
    });
    await field(hands[1].dialog(), 'What the customer needs').fill('Oak, two metres');
    await field(hands[0].dialog(), 'Value').fill('900');
    await hands[0].press('Save', hands[0].dialog());
    await expect.poll(() => field(hands[1].dialog(), 'Value').inputValue(), { timeout: 90_000 }).toBe('900');
    expect(await field(hands[1].dialog(), 'What the customer needs').inputValue()).toBe('Oak, two metres');
    await hands[1].press('Save', hands[1].dialog());
    await expect.poll(() => field(hands[0].dialog(), 'What the customer needs').inputValue(), { timeout: 90_000 }).toBe('Oak, two metres');
    const { data } = await swb.product.api.leads.get({ params: { id: lead } });
    expect([data.value, data.requirement]).toEqual([900, 'Oak, two metres']);
    await both((page) => page.keyboard.press('Escape'));
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
