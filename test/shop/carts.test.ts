import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followUpsQueue } from '../../functions/shop/contract/follow-up.ts';
import { quietHoursEnd } from '../../functions/shop/domain/quiet-hours.ts';
import { webhookData } from '../../functions/shop/webhook-data.ts';
import { type Merchant, newMerchant, type Fixture, startFixture } from './fixture.ts';
import { cartPayload } from './platform-payloads.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  // The first tick stores the dispatcher's watermark; later ones catch up from there.
  await fixture.testApp.tick();
});
afterAll(() => fixture.stop());

const phone = '14155552671';
const iso = (offsetSeconds = 0): string => new Date(fixture.testApp.clock.now() + offsetSeconds * 1_000).toISOString();
const cart = (token: string, more: object = {}) => cartPayload(token, phone, iso(), more);
const enabled = async (more: object = {}): Promise<Merchant> => {
  const merchant = await newMerchant(fixture);
  const answer = await merchant.settings({
    abandoned_cart: {
      enabled: true,
      delay_minutes: 60,
      template_id: merchant.templates.left,
      paramvalues: ['there', 'https://shop.example'],
      parammatch: { '1': 'customer_name', '2': 'cart_url' },
    },
    ...more,
  });
  expect([answer.status, answer.raw]).toMatchObject([200, expect.any(String)]);
  return merchant;
};
/** Moves the clock. The scheduler runs during the last two minutes only. */
const pass = async (seconds: number): Promise<void> => {
  fixture.testApp.clock.advance(Math.max(0, seconds - 120) * 1_000);
  await fixture.testApp.passTime(Math.min(seconds, 120));
};
const carts = async ({ company }: Merchant): Promise<unknown> =>
  ((await fixture.testApp.call({ method: 'GET', path: '/api/v1/shop/carts', token: company.tokens.owner })).body as { data: unknown }).data;
const reminder = (token: string): string => `cart_left|Mia|https://shop.example/c/${token}`;
const left = (merchant: Merchant) =>
  fixture.testApp.events
    .filter((each) => each.name === 'cart.abandoned' && each.detail['company_id'] === merchant.company.id)
    .map((each) => each.detail['data'] as Record<string, unknown>);

describe('an abandoned cart', () => {
  it('gets one reminder an hour after its last change, never before, and publishes cart.abandoned', async () => {
    const merchant = await enabled();
    await merchant.post('storeplatform', 'checkouts/create', cart('t1'));
    await fixture.testApp.drain();
    await pass(40 * 60);
    await merchant.post('storeplatform', 'checkouts/update', cart('t1', { total_price: '15.00' }));
    await fixture.testApp.drain();
    expect(await carts(merchant)).toMatchObject([{ checkout_id: 't1', state: 'open', total_amount: '15.00', reminded_at: null }]);
    await pass(59 * 60);
    expect(merchant.sentTo(phone)).toEqual([]);
    expect(left(merchant)).toEqual([]);
    await pass(2 * 60);
    expect(merchant.sentTo(phone)).toEqual([reminder('t1')]);
    await pass(30 * 60);
    expect(merchant.sentTo(phone)).toHaveLength(1);
    const shown = { checkout_id: 't1', state: 'abandoned', customer_phone: phone, reminded_at: expect.any(String), reason: null };
    expect(await carts(merchant)).toMatchObject([shown]);
    expect(await carts(await newMerchant(fixture))).toEqual([]);
    expect(left(merchant)).toMatchObject([{ checkout_id: 't1', total_amount: '15.00', reminded: true, reason: null, items: ['Tee'] }]);
    // the bus carries no personal data; a webhook gets the customer when it is made
    expect(JSON.stringify(left(merchant))).not.toMatch(/Mia|4155552671|shop\.example/);
    expect(await webhookData[0]?.read(merchant.company.id, 'cart.abandoned', left(merchant)[0] ?? {})).toMatchObject({
      checkout_id: 't1',
      customer_name: 'Mia',
      customer_phone: phone,
      cart_url: 'https://shop.example/c/t1',
    });
  });

  it('is not stored while reminders are off', async () => {
    const merchant = await newMerchant(fixture);
    await merchant.post('storeplatform', 'checkouts/create', cart('t1'));
    await fixture.testApp.drain();
    await pass(90 * 60);
    expect(merchant.sentTo(phone)).toEqual([]);
    expect(
      (await fixture.testApp.dump()).filter((item) => item['kind'] === 'shop-cart' && item['companyId'] === merchant.company.id),
    ).toEqual([]);
  });

  it.each([
    ['the same checkout', { checkout_token: 't1', phone: null, email: null }],
    ['the same cart', { cart_token: 'cart-t1', phone: null, email: null }],
    ['the same phone', { phone: `+${phone}`, email: null }],
    ['the same email in another case', { phone: null, email: 'mia@Example.com' }],
  ])('ends with an order of %s, also when the order arrives first', async (_, who) => {
    for (const isOrderFirst of [false, true]) {
      const merchant = await enabled();
      const started = cart('t1');
      const postOrder = () =>
        merchant.post('storeplatform', 'orders/create', {
          id: 5,
          name: '#5',
          currency: 'USD',
          total_price: '12.00',
          updated_at: iso(),
          processed_at: iso(1),
          line_items: [],
          ...who,
        });
      if (isOrderFirst) await postOrder();
      if (isOrderFirst) await fixture.testApp.drain();
      await merchant.post('storeplatform', 'checkouts/create', started);
      await fixture.testApp.drain();
      if (!isOrderFirst) await postOrder();
      await fixture.testApp.drain();
      await pass(90 * 60);
      expect(merchant.sentTo(phone)).toEqual([]);
      expect(left(merchant)).toEqual([]);
    }
  });

  it.each([
    ['completed', { completed_at: '2026-01-01T00:00:00Z' }, 'checkouts/update'],
    ['deleted', {}, 'checkouts/delete'],
  ])('ends when it is %s, and a late update does not open it again', async (_, more, topic) => {
    const merchant = await enabled();
    const late = cart('t1');
    await merchant.post('storeplatform', 'checkouts/create', late);
    await merchant.post('storeplatform', topic, cart('t1', { updated_at: iso(5), ...more }));
    await fixture.testApp.drain();
    await merchant.post('storeplatform', 'checkouts/update', { ...late, updated_at: iso(7) });
    await fixture.testApp.drain();
    await pass(90 * 60);
    expect(merchant.sentTo(phone)).toEqual([]);
  });

  it('without consent or phone is published and gets no reminder', async () => {
    const merchant = await enabled();
    await merchant.post('storeplatform', 'checkouts/create', cart('t1', { buyer_accepts_sms_marketing: false }));
    await merchant.post('storeplatform', 'checkouts/create', cart('t2', { phone: null, email: 'two@example.com' }));
    await merchant.api('POST', '/contacts', { phone: '+14155550003', subscribed: false });
    await merchant.post('storeplatform', 'checkouts/create', cart('t3', { phone: '+14155550003', email: 'three@example.com' }));
    await fixture.testApp.drain();
    await pass(90 * 60);
    expect([...merchant.sentTo(phone), ...merchant.sentTo('14155550003')]).toEqual([]);
    expect(new Map(left(merchant).map((each) => [each['checkout_id'], each['reason']]))).toEqual(
      new Map([
        ['t1', 'no_consent'],
        ['t2', 'no_phone'],
        ['t3', 'opted_out'],
      ]),
    );
  });

  it('a customer with several carts gets one reminder a day', async () => {
    const merchant = await enabled();
    await merchant.post('storeplatform', 'checkouts/create', cart('t1'));
    await fixture.testApp.drain();
    await pass(62 * 60);
    expect(merchant.sentTo(phone)).toEqual([reminder('t1')]);
    await merchant.post('checkout', 'checkout.created', {
      checkout_id: 'other-device',
      customer: { name: 'Mia', phone: `+${phone}` },
      cart_url: 'https://shop.example/o',
      updated_at: iso(),
    });
    await merchant.post('storeplatform', 'checkouts/update', cart('t1'));
    await fixture.testApp.drain();
    await pass(22 * 3_600);
    expect(merchant.sentTo(phone)).toHaveLength(1);
    await pass(3 * 3_600);
    expect(merchant.sentTo(phone)).toEqual([reminder('t1'), reminder('t1')]);
    expect(left(merchant)).toMatchObject([
      { reminded: true },
      { checkout_id: 'other-device', reason: 'reminded_lately' },
      { reminded: true },
    ]);
  });

  it('waits for the end of the quiet hours', async () => {
    const at = new Date(fixture.testApp.clock.now());
    const time = (minutes: number): string => new Date(at.getTime() + minutes * 60_000).toISOString().slice(11, 16);
    const merchant = await enabled({ quiet_hours: { start: time(30), end: time(150), timezone: 'UTC' } });
    await merchant.post('storeplatform', 'checkouts/create', cart('t1'));
    await fixture.testApp.drain();
    await pass(148 * 60);
    expect(merchant.sentTo(phone)).toEqual([]);
    await pass(4 * 60);
    expect(merchant.sentTo(phone)).toHaveLength(1);
  });

  it.each([1, 2, 3, 4])('gets at most one reminder when deliveries repeat, crash and change their order (seed %i)', async (seed) => {
    const merchant = await enabled();
    const disorder = { seed, duplicate: 0.5, crash: 0.4, reorder: true };
    for (let i = 0; i < 4; i++) await merchant.post('storeplatform', 'checkouts/update', cart('t1', { updated_at: iso(-i) }));
    await merchant.post('storeplatform', 'checkouts/update', cart('t2', { phone: '+14155550009', email: null }));
    await merchant.custom('order.placed', { order_number: `N-${seed}`, customer_phone: '+14155550009', total_amount: 3 });
    await fixture.testApp.drain({ disorder });
    await pass(59 * 60);
    await fixture.testApp.tick();
    await fixture.testApp.tick();
    await fixture.testApp.drain({ disorder, including: 'delayed' });
    await fixture.testApp.drain({ disorder, including: 'delayed' });
    await pass(5 * 60);
    expect(merchant.sentTo(phone)).toEqual([reminder('t1')]);
    expect(merchant.sentTo('14155550009')).toEqual([]);
    expect(fixture.testApp.deadLettersOf(followUpsQueue)).toEqual([]);
  });
});

describe('quiet hours', () => {
  const at = (text: string): number => Date.parse(text);
  it.each([
    ['21:00', '09:00', 'Europe/Berlin', '2026-11-21T20:30:00Z', '2026-11-22T08:00:00Z'],
    ['21:00', '09:00', 'Europe/Berlin', '2026-11-21T19:59:59Z', undefined],
    ['21:00', '09:00', 'Europe/Berlin', '2026-11-22T08:00:00Z', undefined],
    ['01:00', '05:00', 'UTC', '2026-11-22T04:59:30Z', '2026-11-22T05:00:00Z'],
    // The clock moves from 2 to 3: 02:30 does not exist, so the quiet hours end at 3.
    ['22:00', '02:30', 'Europe/Berlin', '2026-03-29T00:30:00Z', '2026-03-29T01:00:00Z'],
    // The clock shows 02:10 twice: the quiet hours end at each 02:30.
    ['22:00', '02:30', 'Europe/Berlin', '2026-10-25T00:10:00Z', '2026-10-25T00:30:00Z'],
    ['22:00', '02:30', 'Europe/Berlin', '2026-10-25T01:10:00Z', '2026-10-25T01:30:00Z'],
    ['21:00', '09:00', 'Asia/Kolkata', '2026-11-21T17:00:00Z', '2026-11-22T03:30:00Z'],
    ['08:00', '08:00', 'UTC', '2026-11-21T08:00:00Z', undefined],
  ])('from %s to %s in %s: at %s they end at %s', (start, end, timezone, instant, until) => {
    expect(quietHoursEnd({ start, end, timezone }, at(instant))).toBe(until === undefined ? undefined : at(until));
  });
});
