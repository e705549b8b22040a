import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { parseExactJson } from '../../functions/shop/domain/exact-json.ts';
import { granted, newCompany } from '../support/company.ts';
import type { World } from '../support/world.ts';

/** How a recorded file is delivered: by the receiver of who sends it, under the topic that its name tells. */
interface Delivered {
  receiver: 'storeplatform' | 'webshop' | 'logistics' | 'checkout';
  topic: string;
}

const deliveries: readonly [name: RegExp, delivered: Delivered][] = [
  [/^shopify-compliance-(customers|shop)-/, { receiver: 'storeplatform', topic: '$1/redact' }],
  [/^shopify-webhook-([a-z_]+)-([a-z]+)/, { receiver: 'storeplatform', topic: '$1/$2' }],
  [/^shopify-rest-[\d-]+-order-/, { receiver: 'storeplatform', topic: 'orders/updated' }],
  [/^shopify-rest-[\d-]+-product-/, { receiver: 'storeplatform', topic: 'products/update' }],
  [/^shopify-rest-[\d-]+-fulfillment-event/, { receiver: 'storeplatform', topic: 'fulfillment_events/create' }],
  [/^shopify-rest-[\d-]+-fulfillment-/, { receiver: 'storeplatform', topic: 'fulfillments/update' }],
  [/^shopify-rest-/, { receiver: 'storeplatform', topic: 'refunds/create' }],
  [/^woocommerce-(order-refund|product-category|webhook-error)/, { receiver: 'webshop', topic: 'action.other' }],
  [/^woocommerce-webhook-deleted/, { receiver: 'webshop', topic: 'order.deleted' }],
  [/^woocommerce-webhook-ping/, { receiver: 'webshop', topic: '' }],
  [/^woocommerce-(order|product)-?/, { receiver: 'webshop', topic: '$1.updated' }],
  [/^(shopflo|paytring|neonpay)-/, { receiver: 'checkout', topic: '' }],
  [/./, { receiver: 'logistics', topic: '' }],
];

/** Signed as its platform signs, accepted, worked without a failure; a product or an order shows number, status, price and tracking. */
export const shopSample = async (world: World, file: string, raw: string): Promise<void> => {
  const [name, { receiver, topic: pattern }] = deliveries.find(([each]) => each.test(file)) ?? [
    /./,
    { receiver: 'logistics', topic: '' } as const,
  ];
  const topic = pattern === '' ? '' : (name.exec(file)?.[0] ?? '').replace(name, pattern);
  const company = await newCompany();
  const secret = 'the secret of the samples';
  const { secret: token } = granted(await issueWebhookToken(company.id, { receiver, shared_secret: secret }));
  const wrapped = z.object({ raw_body: z.string() }).safeParse(JSON.parse(raw));
  const body = wrapped.success ? wrapped.data.raw_body : raw;
  const signature = createHmac('sha256', secret).update(body).digest('base64');
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
  const answer = await world.call({
    method: 'POST',
    path: `/shop/webhooks/${receiver}/${token}`,
    body,
    headers: wrapped.success ? {} : { [header[receiver]]: signature, ...(topic === '' ? {} : { [topicHeader[receiver]]: topic }) },
  });
  expectThat(answer.status === 200, `the receiver answered ${answer.status} ${answer.raw}`);
  const { failures } = await world.drain();
  expectThat(
    failures === 0,
    `${failures} deliveries failed: ${JSON.stringify(world.logs.filter((line) => line['level'] === 'ERROR').slice(-2))}`,
  );
  const told = parseExactJson(body) ?? {};
  const listed = async (path: string) =>
    z
      .object({ data: z.array(z.record(z.string(), z.unknown())) })
      .parse((await world.call({ method: 'GET', path: `/api/v1/shop/${path}`, token: company.tokens.owner })).body).data;
  if (/^products\/update|^product\.updated/.test(topic) && told['type'] !== 'variation' && !file.includes('variation')) {
    const [product] = await listed('products');
    const variant = z.object({ variants: z.array(z.object({ price: z.string() })).optional(), price: z.string().optional() }).parse(told);
    const price = variant.variants?.[0]?.price ?? (variant.price || '0.00');
    const status = ['active', 'publish'].includes(String(told['status'])) ? 'Active' : 'Draft';
    expectThat(product?.['external_id'] === String(told['id']), `the product has the id ${String(product?.['external_id'])}`);
    expectThat(product?.['price'] === price && product['status'] === status, `the product is ${JSON.stringify(product)}`);
  }
  if (/^orders\/(create|updated)|^order\.updated/.test(topic)) {
    const [order] = await listed('orders');
    const number = told['name'] ?? told['number'];
    const total = told['current_total_price'] ?? told['total'];
    expectThat(order?.['external_id'] === String(told['id']) && order['order_number'] === number, `the order is ${JSON.stringify(order)}`);
    expectThat(order?.['total_amount'] === total, `the order's total is ${String(order?.['total_amount'])}`);
    const status = expectedStatus(told);
    expectThat(order?.['status'] === status, `the order is ${String(order?.['status'])}, not ${status}`);
  }
};

/** What the recorded orders say of themselves, read without the product's mapping. */
function expectedStatus(told: Readonly<Record<string, unknown>>): string {
  if (told['cancelled_at']) return 'Cancelled';
  if (told['status'] === 'completed') return 'Fulfilled';
  if (told['financial_status'] === 'refunded') return 'Refunded';
  return 'Processing';
}

function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
