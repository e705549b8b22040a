import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { conversations, leads, orders, products } from '../../lib/local/example-content.ts';
import { type Product, productIn, startProduct } from '../support/product.ts';

/** What a developer finds who opens the console for the first time. */
let product: Product;
afterAll(() => product.stop());

test('the third demo company has its content once, also after a crash in the middle, and the specified two have none', {
  timeout: 400_000,
}, async () => {
  product = await startProduct({ withExample: true, enforcesWindow: true });
  const { api } = productIn(product.folder, 3);
  const listed = async () => (await api.conversations.list({ query: { limit: 100 } })).data;
  const isMade = (): boolean => existsSync(join(product.folder, 'example-company.made'));
  await vi.waitUntil(async () => (await listed()).length > 2, { timeout: 120_000, interval: 200 });
  await product.kill();
  expect(isMade()).toBe(false);
  await product.restart();
  await vi.waitUntil(isMade, { timeout: 200_000, interval: 200 });
  await product.idle();

  const open = (await listed()).filter(({ status }) => status === 'open');
  const names = open.map(({ contact: { name } }) => name);
  expect(new Set(names).size).toBe(names.length);
  // an agent closes one of them, unless the crash came before
  expect(open.length).toBeOneOf([conversations.length - 1, conversations.length]);
  expect((await api.leads.list({})).data).toHaveLength(leads.length);
  expect((await api.products.list({})).data).toHaveLength(products.length);
  expect((await api.orders.list({})).data).toHaveLength(orders.length);
  const campaigns = (await api.campaigns.list()).data;
  expect(campaigns.map(({ name }) => name).toSorted()).toEqual(['Advent weekend', 'New year clearance', 'Winter collection']);
  const texts = (await Promise.all(open.map(({ id }) => api.conversations.listMessages({ params: { id } })))).flatMap(({ data }) => data);
  const replies = texts.filter(({ sent_by: by, template_name: template }) => by !== null && template === null);
  expect(new Set(replies.map(({ value }) => value)).size).toBe(replies.length);

  for (const nth of [1, 2]) expect((await productIn(product.folder, nth).api.contacts.list()).data).toEqual([]);
  // the sign-in page offers it first
  const { data } = (await product.control('GET', 'sessions')).body as { data: { company: string }[] };
  expect(data[0]?.company).toBe('Cedar Furniture');
});
