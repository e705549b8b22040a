import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followUpsQueue } from '../../functions/shop/contract/follow-up.ts';
import { problemOf } from './support.ts';
import { type Merchant, newMerchant, type Fixture, startFixture } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const phone = '919876543210';
const order = (number: string, more: object = {}) => ({
  order_number: number,
  customer_name: 'Asha',
  customer_phone: `+${phone}`,
  total_amount: 10,
  ...more,
});
const templateSetting = (merchant: Merchant) => ({
  template_id: merchant.templates.moved,
  paramvalues: ['friend', '', ''],
  parammatch: { '1': 'customer_name', '2': 'order_number', '3': 'status' },
});

describe('order notifications', () => {
  it('are sent only for statuses with a template', async () => {
    const merchant = await newMerchant(fixture);
    await merchant.custom('order.placed', order('A-1'));
    await merchant.custom('order.status_updated', { order_number: 'A-1', status: 'Shipped' });
    await fixture.testApp.drain();
    expect(merchant.sentTo(phone)).toEqual([]);
    expect((await merchant.settings({ order_notifications: { Delivered: templateSetting(merchant) } })).status).toBe(200);
    await merchant.custom('order.status_updated', { order_number: 'A-1', status: 'Refunded' });
    await merchant.custom('order.status_updated', { order_number: 'A-1', status: 'Delivered' });
    await fixture.testApp.drain();
    expect(merchant.sentTo(phone)).toEqual([]);
    await merchant.custom('order.placed', order('A-2'));
    await merchant.custom('order.status_updated', { order_number: 'A-2', status: 'Delivered' });
    await fixture.testApp.drain();
    expect(merchant.sentTo(phone)).toEqual(['order_moved|Asha|A-2|Delivered']);
  });

  it.each([1, 2, 3])(
    'are sent once for each order and status when deliveries repeat, crash and change their order (seed %i)',
    async (seed) => {
      const merchant = await newMerchant(fixture);
      await merchant.settings({
        order_notifications: {
          Shipped: templateSetting(merchant),
          Delivered: templateSetting(merchant),
          Pending: templateSetting(merchant),
        },
      });
      const disorder = { seed, duplicate: 0.4, crash: 0.4, reorder: true };
      await merchant.custom('order.placed', order('B-1'));
      await fixture.testApp.drain({ disorder });
      for (const status of ['Shipped', 'Shipped', 'Delivered', 'Shipped', 'Delivered'])
        await merchant.custom('order.status_updated', { order_number: 'B-1', status });
      await fixture.testApp.drain({ disorder });
      await fixture.testApp.drain();
      expect(merchant.sentTo(phone).toSorted()).toEqual(
        ['Delivered', 'Pending', 'Shipped'].map((status) => `order_moved|Asha|B-1|${status}`),
      );
      expect(fixture.testApp.deadLettersOf(followUpsQueue)).toEqual([]);
    },
  );

  it('follow a status set by the API, the platform or a parcel, but not orders placed long ago', async () => {
    const merchant = await newMerchant(fixture);
    await merchant.settings({ order_notifications: { Processing: templateSetting(merchant), Shipped: templateSetting(merchant) } });
    const now = new Date(fixture.testApp.clock.now()).toISOString();
    const platformOrder = (id: number, at: string) => ({
      id,
      name: `#${id}`,
      currency: 'USD',
      total_price: '1.00',
      financial_status: 'paid',
      phone: `+${phone}`,
      processed_at: at,
      updated_at: now,
      line_items: [],
    });
    await merchant.post('storeplatform', 'orders/create', platformOrder(1, now));
    await merchant.post('storeplatform', 'orders/updated', platformOrder(2, '2020-01-01T00:00:00Z'));
    await fixture.testApp.drain();
    expect(merchant.sentTo(phone)).toEqual(['order_moved|friend|#1|Processing']);
    await merchant.post('logistics', '', { order_id: '1', awb: '77', current_status: 'In Transit' });
    await fixture.testApp.drain();
    expect(merchant.sentTo(phone)).toHaveLength(2);
    const id = ((await merchant.api('GET', '/shop/orders?search=%232')).body as { data: { id: number }[] }).data[0]?.id;
    expect((await merchant.api('PUT', `/shop/orders/${id}/status`, { status: 'Shipped' })).status).toBe(200);
    await fixture.testApp.drain();
    expect(merchant.sentTo(phone)).toHaveLength(3);
  });

  it('updateShopSettings names the fields and statuses there are when one is given that there is not', async () => {
    const merchant = await newMerchant(fixture);
    const wrongField = { template_id: merchant.templates.moved, parammatch: { '1': 'first_name' } };
    const byStatus = (status: string) => merchant.settings({ order_notifications: { [status]: wrongField } });
    expect((await byStatus('Shipped')).body).toMatchObject({
      errors: {
        'order_notifications.Shipped.parammatch': [expect.stringMatching(/of these fields: customer_name, .*cart_url, items\.$/)],
      },
    });
    expect((await byStatus('Sent')).body).toMatchObject({
      errors: {
        order_notifications: ['Must be an object by status: Pending, Processing, Shipped, Fulfilled, Delivered, Cancelled, Refunded.'],
      },
    });
  });

  it('updateShopSettings is 422 for a template that cannot be sent, naming the field', async () => {
    const merchant = await newMerchant(fixture);
    const choose = async (template: unknown) => problemOf(await merchant.settings({ order_notifications: { Shipped: template } }));
    expect(await choose({ template_id: 999 })).toEqual([422, 'validation_failed', 'order_notifications.Shipped.template_id']);
    expect(await choose({ template_id: merchant.templates.pending })).toEqual([
      422,
      'validation_failed',
      'order_notifications.Shipped.template_id',
    ]);
    expect(await choose({ template_id: merchant.templates.moved, paramvalues: ['one'] })).toEqual([
      422,
      'validation_failed',
      'order_notifications.Shipped.paramvalues',
    ]);
    expect((await merchant.settings({ order_notifications: { Shipped: { template_id: merchant.templates.plain } } })).status).toBe(200);
    expect((await merchant.settings({ order_notifications: { Shipped: null } })).body).toMatchObject({ data: { order_notifications: {} } });
  });
});
