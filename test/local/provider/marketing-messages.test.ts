import { expect, test } from 'vitest';
import { customer, openFixture, phoneNumberId, text, wabaId } from './fixture.ts';

/** The edge of marketing messages, and what a max price makes of a message (provider-2026 section 3.3). */
const body = [{ type: 'BODY', text: 'Our sale starts today.' }];
const bid = { bid_amount: 4_000, bid_strategy: 'LOWEST_COST_WITH_BID_CAP' };
const templates = [
  { name: 'capped', language: 'en', category: 'MARKETING', components: body, optimization_spec: bid },
  { name: 'sale', language: 'en', category: 'MARKETING', components: body },
  { name: 'order', language: 'en', category: 'UTILITY', components: body },
];
const markets = [
  {
    market: 'All',
    countries: [],
    marketing: '0.1',
    utility: '0.01',
    authentication: null,
    authentication_international: null,
    service: '0.02',
  },
];

const open = async () => {
  const fixture = await openFixture({ webhook_version: 'v24.0' });
  await fixture.control('PUT', 'templates', { waba_id: wabaId, templates });
  await fixture.control('PUT', 'billing', { currency: 'EUR', markets });
  const post = async (edge: string, message: object): Promise<[number, number | undefined]> => {
    const to = 'recipient' in message ? {} : { to: `+${customer}` };
    const answer = await fixture.call('POST', `/v23.0/${phoneNumberId}/${edge}`, { messaging_product: 'whatsapp', ...to, ...message });
    return [answer.status, answer.body.error?.code];
  };
  return { ...fixture, post };
};
const template = (name: string) => ({ type: 'template', template: { name, language: { code: 'en' } } });

test('a template with a max price goes by this edge alone, and this edge takes marketing templates alone', async () => {
  const { post } = await open();
  expect(await post('messages', template('capped'))).toEqual([400, 131061]);
  expect(await post('marketing_messages', { ...template('capped'), product_policy: 'STRICT' })).toEqual([200, undefined]);
  expect(await post('marketing_messages', template('sale'))).toEqual([200, undefined]);
  expect(await post('marketing_messages', template('order'))).toEqual([400, 134100]);
  expect(await post('marketing_messages', text)).toEqual([400, 131055]);
  expect(await post('marketing_messages', { ...template('capped'), recipient: 'US.1234567890' })).toEqual([400, 131062]);
});

test('its statuses have what is charged, at most the max price, and the bill counts the same', async () => {
  const { post, receiver, quiet, control } = await open();
  await post('marketing_messages', template('capped'));
  await post('marketing_messages', { ...template('capped'), bid_spec: { per_message_bid_multiplier: 10 } });
  await quiet();
  const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'marketing_lite' };
  const delivered = receiver.statuses().filter(({ status }) => status === 'delivered');
  const costs = delivered.map((status) => status['pricing']);
  expect(costs).toHaveLength(2);
  for (const amount of [0.04, 0.1]) expect(costs).toContainEqual({ ...pricing, cost: { amount, currency: 'EUR' } });
  const bill = (await control('GET', 'bill?company=1')).body;
  expect(JSON.stringify(bill)).toContain('"amount":"0.14"');
});

test('a max price is of marketing templates, and is changed where it was set, without a review', async () => {
  const { call } = await open();
  const path = `/v23.0/${wabaId}/message_templates`;
  const made = (more: object) => call('POST', path, { name: 'autumn', language: 'en', components: body, optimization_spec: bid, ...more });
  expect((await made({ category: 'UTILITY' })).body.error?.code).toBe(100);
  expect((await made({ category: 'MARKETING' })).status).toBe(200);
  const listed = async () => (await call('GET', `${path}?fields=name,status,optimization_spec`)).body.data;
  const idOf = async (name: string) => String((await listed())?.find((each) => each['name'] === name)?.['id']);
  const change = async (name: string) =>
    (await call('POST', `/v23.0/${await idOf(name)}`, { optimization_spec: { ...bid, bid_amount: 9_000 } })).status;
  expect([await change('capped'), await change('sale')]).toEqual([200, 400]);
  expect(await listed()).toContainEqual(
    expect.objectContaining({ name: 'capped', status: 'APPROVED', optimization_spec: { ...bid, bid_amount: 9_000 } }),
  );
});
