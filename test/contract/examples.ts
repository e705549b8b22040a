import { issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import type { Receiver } from '../../functions/account/contract.ts';
import { takeOrder } from '../../functions/shop/service/placing.ts';
import { granted } from '../support/company.ts';
import type { Call } from '../support/gateway-event.ts';
import type { ContractStage } from './stage.ts';

/** A good request of a route: what to put in its path, query and body so that it is answered with a 2xx. */
export interface Example {
  params?: Readonly<Record<string, string | number>>;
  query?: NonNullable<Call['query']>;
  body?: Record<string, unknown>;
  /** For routes whose caller is not a person's token. */
  headers?: Readonly<Record<string, string>>;
  /** Bytes to be sent in place of `body`, with their headers. */
  raw?: { body: string; headers: Record<string, string> };
}

let slugs = 0;
const newSlug = (): string => `category-${++slugs}`;

let phones = 0;
const newPhone = (): string => `+4915120${String(++phones).padStart(6, '0')}`;

/** One for every route, by its name; each call gives fresh data, so that no two requests stand in each other's way. */
export const examples: Readonly<Record<string, (stage: ContractStage) => Example | Promise<Example>>> = {
  getMe: () => ({}),

  listContacts: () => ({ query: { limit: 2 } }),
  createContact: () => ({ body: { phone: newPhone(), name: 'Ada', groups: ['Friends'], fields: { plan: 'gold' } } }),
  getContact: ({ contactId }) => ({ params: { id: contactId } }),
  replaceContact: async (stage) => ({ params: { id: await stage.newContact(newPhone()) }, body: { phone: newPhone(), name: 'Bea' } }),
  deleteContact: async (stage) => ({ params: { id: await stage.newContact(newPhone()) } }),

  sendText: () => ({ body: { phone: newPhone(), message: 'Hello' } }),
  sendTextByGet: () => ({ query: { phone: newPhone(), message: 'Hello' } }),

  verifyWebhook: ({ company }) => ({
    params: { webhook_token: company.webhookToken },
    query: { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': company.verifyToken },
  }),
  receiveWebhook: ({ company, signed }) => ({
    params: { webhook_token: company.webhookToken },
    raw: signed({ object: 'whatsapp_business_account', entry: [] }),
  }),

  listProducts: () => ({ query: { limit: 2 } }),
  createProduct: () => ({ body: { name: 'Mug', price: '7.50', currency: 'EUR' } }),
  getProduct: async (stage) => ({ params: { id: await newProduct(stage) } }),
  updateProduct: async (stage) => ({ params: { id: await newProduct(stage) }, body: { price: 8 } }),
  deleteProduct: async (stage) => ({ params: { id: await newProduct(stage) } }),
  listCategories: () => ({ query: { limit: 2 } }),
  createCategory: () => ({ body: { name: 'Mugs', slug: newSlug() } }),
  getCategory: async (stage) => ({ params: { id: await newCategory(stage) } }),
  updateCategory: async (stage) => ({ params: { id: await newCategory(stage) }, body: { name: 'Cups' } }),
  deleteCategory: async (stage) => ({ params: { id: await newCategory(stage) } }),
  listPublicCategories: ({ company }) => ({ params: { company_id: company.id } }),
  listPublicProducts: ({ company }) => ({ params: { company_id: company.id } }),
  getPublicProduct: async (stage) => ({ params: { company_id: stage.company.id, id: await newProduct(stage) } }),

  listOrders: () => ({ query: { limit: 2 } }),
  getOrder: async (stage) => ({ params: { id: await newOrder(stage) } }),
  updateOrder: async (stage) => ({
    params: { id: await newOrder(stage) },
    body: { status: 'Processing', items: [{ name: 'Mug', quantity: 2, price: '7.50' }], customer_phone: newPhone() },
  }),
  updateOrderStatus: async (stage) => ({ params: { id: await newOrder(stage) }, body: { status: 'Shipped', tracking_number: 'T1' } }),
  getShopSettings: () => ({}),
  updateShopSettings: () => ({ body: { abandoned_cart: { delay_minutes: 90 } } }),
  syncErp: () => ({ body: { products: [{ external_id: newSlug(), name: 'Mug', price: 7.5 }] } }),

  receiveCustom: ({ erpToken }) => ({
    params: { erp_token: erpToken },
    raw: json({ event: 'order.placed', data: { order_number: newSlug(), customer_phone: newPhone(), total_amount: 5 } }),
  }),
  receiveStoreplatform: async (stage) => ({
    params: await receiver(stage, 'storeplatform'),
    raw: json({ id: 1, topic: 'products/delete' }),
  }),
  receiveWebshop: async (stage) => ({ params: await receiver(stage, 'webshop'), raw: json({ id: 1, topic: 'product.deleted' }) }),
  receiveLogistics: async (stage) => ({
    params: await receiver(stage, 'logistics'),
    raw: json({ awb: 'A1', current_status: 'Delivered' }),
  }),
  receiveCheckout: async (stage) => ({
    params: await receiver(stage, 'checkout'),
    raw: json({ event: 'checkout.created', checkout_id: 'c1' }),
  }),
  receiveTest: async (stage) => ({ params: await receiver(stage, 'test'), raw: json({ event: 'hello' }) }),

  listConversations: () => ({ query: { limit: 2 } }),
  listConversationMessages: ({ conversationId }) => ({ params: { id: conversationId }, query: { limit: 2 } }),
};

const made = async ({ world, company }: ContractStage, path: string, body: Record<string, unknown>): Promise<number> => {
  const answer = await world.call({ method: 'POST', path, token: company.tokens.owner, body });
  return (answer.body as { data: { id: number } }).data.id;
};
const newProduct = (stage: ContractStage): Promise<number> => made(stage, '/api/v1/shop/products', { name: 'Mug', price: 7.5 });
const newCategory = (stage: ContractStage): Promise<number> => made(stage, '/api/v1/shop/categories', { name: 'Mugs', slug: newSlug() });
const newOrder = async ({ company }: ContractStage): Promise<number> => {
  const number = newSlug();
  const said = { kind: 'order', source: 'custom', externalId: number, number, currency: 'EUR', total: '15.00' } as const;
  return (await takeOrder(company.id, said, { key: undefined })).order.id;
};

const json = (body: unknown): { body: string; headers: Record<string, string> } => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});
const receiver = async ({ company }: ContractStage, name: Receiver): Promise<{ webhook_token: string }> => ({
  webhook_token: granted(await issueWebhookToken(company.id, { receiver: name })).secret,
});
