import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { issueErpToken, issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { parseExactJson } from '../../functions/shop/domain/exact-json.ts';
import { unwrap, newCompany, type TestCompany } from '../support/company.ts';
import type { ProviderStub } from '../support/provider-stub.ts';
import type { TestApp } from '../support/test-app.ts';
import { ignoredReason } from './ignored.ts';
import type { Level } from './run.ts';

/** How a recorded file is delivered: by the receiver of who sends it, under the topic that its name gives. */
interface Delivered {
  receiver: 'storeplatform' | 'webshop' | 'logistics' | 'checkout';
  topic: string;
}

const deliveries: readonly [name: RegExp, delivered: Delivered][] = [
  [
    /^shopify-(customers_marketing_consent|checkouts|customers|disputes|draft_orders|fulfillments|inventory_levels|product_listings|products)-([a-z]+)/,
    { receiver: 'storeplatform', topic: '$1/$2' },
  ],
  [/^shopify-order-/, { receiver: 'storeplatform', topic: 'orders/updated' }],
  [/^shopify-compliance-(customers|shop)-/, { receiver: 'storeplatform', topic: '$1/redact' }],
  [/^shopify-webhook-([a-z_]+)-([a-z]+)/, { receiver: 'storeplatform', topic: '$1/$2' }],
  [/^shopify-rest-[\d-]+-order-/, { receiver: 'storeplatform', topic: 'orders/updated' }],
  [/^shopify-rest-[\d-]+-product-/, { receiver: 'storeplatform', topic: 'products/update' }],
  [/^shopify-rest-[\d-]+-fulfillment-event/, { receiver: 'storeplatform', topic: 'fulfillment_events/create' }],
  [/^shopify-rest-[\d-]+-fulfillment-/, { receiver: 'storeplatform', topic: 'fulfillments/update' }],
  [/^shopify-rest-/, { receiver: 'storeplatform', topic: 'refunds/create' }],
  [/^woocommerce-(order-refund|product-category|webhook-error|coupon|customer)/, { receiver: 'webshop', topic: 'action.other' }],
  [/^woocommerce-webhook-deleted/, { receiver: 'webshop', topic: 'order.deleted' }],
  [/^woocommerce-webhook-ping/, { receiver: 'webshop', topic: '' }],
  [/^woocommerce-(order|product)-?/, { receiver: 'webshop', topic: '$1.updated' }],
  [/^(shopflo|paytring|neonpay|gokwik|razorpay)-/, { receiver: 'checkout', topic: '' }],
  [/./, { receiver: 'logistics', topic: '' }],
];

/** The recorded parcels: the order each names, or the parcel it is found by, and where the order stands after it. */
const parcels: readonly [name: RegExp, parcel: { order?: string; status: string; number: string; url?: string; report?: string }][] = [
  [/^clickpost-native/, { order: 'NSU1702473851909', status: 'Delivered', number: '19041424751540' }],
  [/^delhivery-dispatched/, { order: 'NS0FO1702283563015', status: 'Shipped', number: 'DUM0I3J1PQEN', report: 'Out For Delivery' }],
  [/^delhivery-in-transit/, { order: 'NCR1700646462703-2V', status: 'Shipped', number: 'DUM0I3J1PQEN', report: 'Shipped' }],
  [/^delhivery-pending/, { order: 'NCR1700646462703-2V', status: 'Pending', number: 'DUM0I3J1PQEN', report: 'Failed Delivery' }],
  [/^delhivery-rto/, { order: 'NCR1700646462703-2V', status: 'Cancelled', number: 'DUM0I3J1PQEN', report: 'RTO Delivered' }],
  [/^easypost-event/, { status: 'Shipped', number: '1' }],
  [/^ecomexpress-delivered/, { order: 'c-order-1', status: 'Delivered', number: '115927640' }],
  [/^shiprocket-delivered/, { order: 'ORD-1001', status: 'Delivered', number: '14492489597159' }],
  [/^skydropx-shipment/, { status: 'Delivered', number: '794874381730' }],
  [/^aftership-tracking_update-delivered/, { order: 'ORD-1001', status: 'Delivered', number: '0000000000000000' }],
  [/^aftership-tracking_update-in-transit/, { status: 'Shipped', number: '9400100000000000000000' }],
  [/^delhivery-scan-push/, { order: '28', status: 'Pending', number: 'XXXXXXXXXXXX' }],
  [/^easypost-tracker/, { status: 'Pending', number: 'EZ1000000001' }],
  [
    /^easyship-tracking/,
    {
      order: '100001',
      status: 'Delivered',
      number: '12345',
      url: 'https://www.trackmyshipment.co/shipment-tracking/ESTEST00000',
    },
  ],
  [/^sendcloud-parcel/, { order: 'ORD12334', status: 'Pending', number: '3SYZXG132912330' }],
  [/^shipper-id/, { order: '60af69a2d48465d30e2b5b85', status: 'Pending', number: '010116222971811' }],
  [/^shiprocket-in-transit/, { order: '1373900_150876814', status: 'Shipped', number: '19041424751540' }],
  [/^shiprocket-pickup/, { order: 'ORD-000019-P1', status: 'Pending', number: '59629792084' }],
];

const fulfilmentBody = z.looseObject({
  order_id: z.union([z.string(), z.number()]).transform(String),
  status: z.string(),
  tracking_number: z.string().nullish(),
  tracking_url: z.string().nullish(),
});

/** Signed as its platform signs, accepted, worked without a failure; a product or an order shows number, status, price and tracking. */
export const shopSample = async (testApp: TestApp, stub: ProviderStub, file: string, raw: string): Promise<Level> => {
  const [name, { receiver, topic: pattern }] = deliveries.find(([each]) => each.test(file)) ?? [
    /./,
    { receiver: 'logistics', topic: '' } as const,
  ];
  const topic = pattern === '' ? '' : (name.exec(file)?.[0] ?? '').replace(name, pattern);
  const company = await newCompany();
  const secret = 'the secret of the samples';
  const { secret: token } = unwrap(await issueWebhookToken(company.id, { receiver, shared_secret: secret }));
  const wrapped = z.object({ raw_body: z.string() }).safeParse(JSON.parse(raw));
  const body = wrapped.success ? wrapped.data.raw_body : raw;
  const signature = createHmac('sha256', secret).update(body).digest('base64');
  const read = parseExactJson(body) ?? {};
  const parcel = receiver === 'logistics' ? parcels.find(([each]) => each.test(file))?.[1] : undefined;
  const fulfilment = topic.startsWith('fulfillment') ? fulfilmentBody.parse(read) : undefined;
  if (parcel)
    await placeOrder(testApp, company.id, {
      order_number: parcel.order ?? 'A-1',
      ...(parcel.order ? {} : { tracking_number: parcel.number }),
    });
  const isCheckout = receiver === 'checkout' || topic.startsWith('checkouts/');
  if (isCheckout) await remindOfCarts(testApp, stub, company);
  const deleted = /^(products\/delete|order\.deleted)$/.test(topic)
    ? await placeDeleted(testApp, `/shop/webhooks/${receiver}/${token}`, secret, topic, String(read['id']))
    : undefined;
  if (fulfilment) await sendOrder(testApp, `/shop/webhooks/storeplatform/${token}`, secret, fulfilment.order_id);
  const header = {
    storeplatform: 'x-shopify-hmac-sha256',
    webshop: 'x-wc-webhook-signature',
    logistics: 'x-webhook-signature',
    checkout: 'x-webhook-signature',
  };
  const topicHeader = {
    storeplatform: 'x-shopify-topic',
    webshop: 'x-wc-webhook-topic',
    logistics: 'x-webhook-topic',
    checkout: 'x-webhook-topic',
  };
  const answer = await testApp.call({
    method: 'POST',
    path: `/shop/webhooks/${receiver}/${token}`,
    body,
    headers: wrapped.success ? {} : { [header[receiver]]: signature, ...(topic === '' ? {} : { [topicHeader[receiver]]: topic }) },
  });
  expectThat(answer.status === 200, `the receiver answered ${answer.status} ${answer.raw}`);
  const { failures } = await testApp.drain();
  expectThat(
    failures === 0,
    `${failures} deliveries failed: ${JSON.stringify(testApp.logs.filter((line) => line['level'] === 'ERROR').slice(-2))}`,
  );
  if (ignoredReason(file) !== undefined) {
    const { ignored } = z.object({ ignored: z.boolean().optional() }).parse(answer.body);
    expectThat(ignored === true || wrapped.success, `the receiver does not say that it ignores it: ${answer.raw}`);
    return 'ignored';
  }
  const payload = read;
  let isCompared = parcel !== undefined || fulfilment !== undefined;
  if (isCheckout) {
    isCompared = true;
    const carts = await testApp.dump({ kind: 'shop-cart', companyId: company.id });
    // a recorded cart is old: the product takes it, and no reminder goes out days late
    const state = /completed/.test(file) ? 'recovered' : topic.endsWith('/delete') ? 'closed' : 'open';
    expectThat(
      carts.length === 1 && (carts[0]?.['state'] === state || (state === 'open' && carts[0]?.['state'] === 'expired')),
      `the carts are ${JSON.stringify(carts)}`,
    );
    const isNamed = /"(first_?)?name": ?"[^"]+"/i.test(JSON.stringify([read['customer'], read['user_details']]));
    if (state === 'open' && isNamed) expectThat(carts[0]?.['name'] !== undefined, `the cart has no name: ${JSON.stringify(carts)}`);
  }
  if (deleted) {
    isCompared = true;
    const { data } = z
      .object({ data: z.array(z.looseObject({ status: z.string() })) })
      .parse((await testApp.call({ method: 'GET', path: `/api/v1/shop/${deleted.list}`, token: company.tokens.owner })).body);
    expectThat(data[0]?.status === deleted.status, `what was deleted is ${JSON.stringify(data)}`);
  }
  const listed = async (path: string) =>
    z
      .object({ data: z.array(z.record(z.string(), z.unknown())) })
      .parse((await testApp.call({ method: 'GET', path: `/api/v1/shop/${path}`, token: company.tokens.owner })).body).data;
  if (/^products\/update|^product\.updated/.test(topic) && payload['type'] !== 'variation' && !file.includes('variation')) {
    isCompared = true;
    const [product] = await listed('products');
    const variant = z
      .object({ variants: z.array(z.object({ price: z.string() })).optional(), price: z.string().optional() })
      .parse(payload);
    // a product of variations names no price of its own
    const price = variant.variants?.[0]?.price ?? (variant.price || null);
    const status = ['active', 'publish'].includes(String(payload['status'])) ? 'Active' : 'Draft';
    expectThat(product?.['external_id'] === String(payload['id']), `the product has the id ${String(product?.['external_id'])}`);
    expectThat(product?.['price'] === price && product['status'] === status, `the product is ${JSON.stringify(product)}`);
  }
  if (/^orders\/(create|updated)|^order\.updated/.test(topic)) {
    isCompared = true;
    const [order] = await listed('orders');
    const number = payload['name'] ?? payload['number'];
    const total = payload['current_total_price'] ?? payload['total'];
    expectThat(
      order?.['external_id'] === String(payload['id']) && order['order_number'] === number,
      `the order is ${JSON.stringify(order)}`,
    );
    // A total without decimals is shown with those of its currency.
    const isTotal = String(total).includes('.') ? order?.['total_amount'] === total : Number(order?.['total_amount']) === Number(total);
    expectThat(isTotal, `the order's total is ${String(order?.['total_amount'])}`);
    const status = expectedStatus(payload);
    expectThat(order?.['status'] === status, `the order is ${String(order?.['status'])}, not ${status}`);
    const tracking = expectedTracking(payload);
    expectThat(
      (order?.['tracking_number'] ?? undefined) === tracking?.number && (order?.['tracking_url'] ?? undefined) === tracking?.url,
      `the order's tracking is ${String(order?.['tracking_number'])} ${String(order?.['tracking_url'])}, not ${JSON.stringify(tracking)}`,
    );
  }
  if (parcel) {
    const [order] = await listed('orders');
    expectThat(order?.['status'] === parcel.status, `the order is ${String(order?.['status'])}, not ${parcel.status}`);
    expectThat(order?.['tracking_number'] === parcel.number, `the order's tracking is ${String(order?.['tracking_number'])}`);
    const reports = z.array(z.object({ status: z.string() })).parse(order?.['parcel_events']);
    expectThat(
      reports.length === 1 && (parcel.report ?? reports[0]?.status) === reports[0]?.status,
      `its reports are ${JSON.stringify(reports)}`,
    );
    expectThat(parcel.url === undefined || order?.['tracking_url'] === parcel.url, `its address is ${String(order?.['tracking_url'])}`);
  }
  if (fulfilment) {
    const [order] = await listed('orders');
    const isLive = fulfilment.status !== 'cancelled';
    const number = isLive ? (fulfilment.tracking_number ?? null) : null;
    expectThat(
      order?.['tracking_number'] === number,
      `the order's tracking is ${String(order?.['tracking_number'])}, not ${String(number)}`,
    );
    const isUnderway = number !== null || fulfilment.status === 'in_transit';
    expectThat(order?.['status'] === (isUnderway ? 'Shipped' : 'Processing'), `the order is ${String(order?.['status'])}`);
  }
  return isCompared ? 'effect' : 'answered';
};

/** Abandoned carts are on, with a template. */
async function remindOfCarts(testApp: TestApp, stub: ProviderStub, company: TestCompany): Promise<void> {
  const listed = {
    id: '1',
    name: 'cart_left',
    language: 'en',
    status: 'APPROVED',
    category: 'MARKETING',
    components: [{ type: 'BODY', text: 'Come back.' }],
  };
  stub.answering(({ method }) => (method === 'GET' ? { status: 200, body: { data: [listed] } } : undefined));
  await testApp.call({ method: 'POST', path: '/api/v1/templates/sync', token: company.tokens.owner });
  stub.answering(undefined);
  const abandoned_cart = { enabled: true, delay_minutes: 60, template_id: 1 };
  const set = await testApp.call({ method: 'PUT', path: '/api/v1/shop/settings', token: company.tokens.owner, body: { abandoned_cart } });
  expectThat(set.status === 200, `the settings were refused: ${set.raw}`);
}

/** What a recorded deletion is about, before it. */
async function placeDeleted(
  testApp: TestApp,
  path: string,
  secret: string,
  topic: string,
  id: string,
): Promise<{ list: string; status: string }> {
  const isOrder = topic === 'order.deleted';
  const fields = isOrder
    ? '"status":"processing","currency":"EUR","total":"1.00","number":"1","line_items":[]'
    : '"title":"Gone","status":"active","variants":[]';
  const body = `{"id":${id},${fields}}`;
  const signature = createHmac('sha256', secret).update(body).digest('base64');
  const headers = isOrder
    ? { 'x-wc-webhook-signature': signature, 'x-wc-webhook-topic': 'order.created' }
    : { 'x-shopify-hmac-sha256': signature, 'x-shopify-topic': 'products/create' };
  await testApp.call({ method: 'POST', path, body, headers });
  await testApp.drain();
  return isOrder ? { list: 'orders', status: 'Cancelled' } : { list: 'products', status: 'Draft' };
}

/** The order that a recorded parcel names, from a third-party system. */
async function placeOrder(testApp: TestApp, companyId: number, data: Record<string, string>): Promise<void> {
  const { secret } = unwrap(await issueErpToken(companyId, {}));
  const body = { event: 'order.placed', data: { ...data, customer_email: 'buyer@example.com', total_amount: 1 } };
  const answer = await testApp.call({ method: 'POST', path: `/shop/webhooks/custom/${secret}`, body });
  expectThat(answer.status === 200, `the order could not be placed: ${answer.raw}`);
}

/** The order that a recorded fulfilment belongs to: paid, not yet sent. Ids go as they are written, whatever their length. */
async function sendOrder(testApp: TestApp, path: string, secret: string, id: string): Promise<void> {
  const fields =
    '"name":"#1","currency":"USD","total_price":"1.00","financial_status":"paid","updated_at":"2020-01-01T00:00:00Z","line_items":[]';
  const body = `{"id":${id},${fields}}`;
  const signature = createHmac('sha256', secret).update(body).digest('base64');
  await testApp.call({ method: 'POST', path, body, headers: { 'x-shopify-hmac-sha256': signature, 'x-shopify-topic': 'orders/create' } });
  await testApp.drain();
}

const fulfilmentPart = z.looseObject({
  status: z.string().nullish(),
  updated_at: z.string().nullish(),
  tracking_number: z.string().nullish(),
  tracking_url: z.string().nullish(),
});

/** What a buyer is to be shown of a recorded order: the tracking of its newest fulfilment that was not cancelled and has one. */
function expectedTracking(payload: Readonly<Record<string, unknown>>): { number: string | undefined; url: string | undefined } | undefined {
  const fulfilments = z
    .array(fulfilmentPart)
    .catch([])
    .parse(payload['fulfillments'] ?? []);
  const [newest] = fulfilments
    .filter(
      ({ status, tracking_number, tracking_url }) =>
        !['cancelled', 'failure', 'error'].includes(status ?? '') && (tracking_number ?? tracking_url),
    )
    .toSorted((a, b) => Date.parse(b.updated_at ?? '') - Date.parse(a.updated_at ?? ''));
  return newest && { number: newest.tracking_number?.trim() || undefined, url: newest.tracking_url?.trim() || undefined };
}

/** What the recorded orders say of themselves, read without the product's mapping. */
function expectedStatus(payload: Readonly<Record<string, unknown>>): string {
  if (payload['cancelled_at']) return 'Cancelled';
  if (payload['status'] === 'completed') return 'Fulfilled';
  if (payload['financial_status'] === 'refunded') return 'Refunded';
  if (payload['fulfillment_status'] === 'fulfilled') return 'Fulfilled';
  return 'Processing';
}

function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
