import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bodiesByKind, examples } from '../../../lib/generate/examples.ts';
import { type Console, startConsole } from '../../support/console.ts';
import { sharedProduct } from '../../support/shared-product.ts';

/** Whatever can be sent is seen on the phone of the simulator: with its words, its files and what can be pressed. */
const customer = { phone: '4917600000093', name: 'Every Kind' };
let swb: Console;
beforeAll(async () => {
  swb = await startConsole(sharedProduct(1));
  await swb.write(customer.phone, customer.name, 'Show me all that you can send');
  // not until all is idle: what other walks do with the product is their own
  const found = async (): Promise<unknown> => swb.product.api.conversations.list({ query: { search: customer.phone } });
  await vi.waitFor(async () => expect(await found()).toMatchObject({ data: [{ unread_count: 1 }] }), { timeout: 90_000, interval: 200 });
}, 200_000);
afterAll(() => swb?.[Symbol.asyncDispose]());

const paths = { sendText: 'text', sendList: 'list', sendLocation: 'location', sendContacts: 'contacts', sendInteractive: 'interactive' };
const cases = Object.entries({ ...paths, sendTemplate: 'template' }).flatMap(([name, path]) =>
  Object.entries(bodiesByKind[name] ?? { example: examples[name] ?? {} }).map(([kind, body]) => ({ name, kind, path, body })),
);

/** What people read of a message: not its addresses and ids, and not the rows of a list, which open when it is pressed. */
const readable = /^(message|header|footer|title|name|formatted_name|button|button_name|text|emoji)$/;
const wordsOf = (value: unknown, key = ''): string[] => {
  if (typeof value === 'string') return readable.test(key) ? [value] : [];
  if (typeof value !== 'object' || value === null || key === 'rows' || key === 'sections' || key === 'values' || key === 'org') return [];
  return Object.entries(value).flatMap(([name, each]) => wordsOf(each, Array.isArray(value) ? key : name));
};

/** The end of a link is in its address. */
const shownWords = (body: object): string[] =>
  wordsOf(
    JSON.parse(JSON.stringify(body), (_, value: unknown) =>
      typeof value === 'object' && value !== null && 'sub_type' in value ? null : value,
    ),
  );

test('every kind of message that the reference shows is on the phone, whole', { timeout: 300_000 }, async () => {
  const { baseUrl, demo, companyId } = swb.product;
  const token = demo.companies.find(({ id }) => id === companyId)?.tokens.owner;
  for (const { name, kind, path, body } of cases) {
    const answer = await fetch(`${baseUrl}/api/v1/messages/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, phone: `+${customer.phone}` }),
    });
    expect(answer.status, `${name}, ${kind}: ${await answer.text()}`).toBe(200);
  }
  const page = await swb.signIn();
  await page.locator('.conversation').filter({ hasText: customer.name }).first().click();
  await page.getByRole('heading', { name: customer.name, level: 2 }).waitFor();
  await page.locator('.thread-header h2').click();
  await page.keyboard.press('p');
  const shown = page.locator('.phone-message:not(.mine)');
  await expect.poll(() => shown.count()).toBe(cases.length);
  await page.locator('.phone-message').filter({ hasText: 'our picks of the week' }).waitFor();
  for (const [index, { name, kind, body }] of cases.entries()) {
    const one = shown.nth(index);
    const text = (await one.textContent()) ?? '';
    const missing = shownWords(body).filter((each) => !text.includes(each));
    expect(missing, `${name}, ${kind}: ${text}`).toEqual([]);
    const parts = await one.locator('p, .phone-tile, .phone-choice, strong').count();
    expect(parts, `${name}, ${kind}`).toBeGreaterThan(0);
  }
  await page.context().close();
});

test('the browser complains of nothing, and nothing is asked of another host', () => {
  expect(swb.complaints).toEqual([]);
  expect(swb.foreign).toEqual([]);
});
