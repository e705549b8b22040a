import * as z from 'zod';
import { eraseContact } from '../../functions/erasures/service/erasures.ts';
import { createImport } from '../../functions/contacts/service/imports/imports.ts';
import { storedTemplate } from '../../functions/templates/contract/stored.ts';
import { storedMessage } from '../../functions/messaging/contract/stored.ts';
import { blockContact } from '../../functions/messaging/service/block-contact.ts';
import { createMessage } from '../../functions/messaging/store/message.ts';
import { putScheduledMessage } from '../../functions/messaging/store/scheduled-message.ts';
import { createTemplateRow, reserveTemplateIds } from '../../functions/templates/store/template.ts';
import { getWaitingImports, waitingImportsEntity } from '../../functions/contacts/store/import.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import { setCannedReply } from '../../functions/conversations/service/canned-replies.ts';
import { createConversationNote } from '../../functions/conversations/service/notes.ts';
import { drawWithoutKey } from '../../shared/contract/route.ts';
import { messageId } from '../../shared/runtime/ids.ts';
import { issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import type { Receiver } from '../../functions/account/contract/receiver.ts';
import { upsertOrder } from '../../functions/shop/service/upsert-order.ts';
import { inboundText, unwrap } from '../support/company.ts';
import type { Call } from '../support/gateway-event.ts';
import { accountExamples } from './examples-account.ts';
import { crmExamples } from './examples-crm.ts';
import { webhookExamples } from './examples-webhooks.ts';
import { campaignExamples } from './examples-campaigns.ts';
import { spendExamples } from './examples-spend.ts';
import { shopExamples } from './examples-shop.ts';
import { verificationExamples } from './examples-verification.ts';
import type { ContractFixture } from './fixture.ts';
import { newPhone } from './phones.ts';

/** A good request of a route: what to put in its path, query and body so that it is answered with a 2xx. */
export interface Example {
  params?: Readonly<Record<string, string | number>>;
  query?: NonNullable<Call['query']>;
  body?: Record<string, unknown>;
  /** Of who calls, where it is not the first company's owner. */
  token?: string;
  /** For routes whose caller is not a user's token. */
  headers?: Readonly<Record<string, string>>;
  /** Bytes to be sent in place of `body`, with their headers. */
  raw?: { body: string; headers: Record<string, string> };
}

let slugs = 0;
const newSlug = (): string => `category-${++slugs}`;

let templates = 0;
export const newTemplateName = (): string => `template_${++templates}`;

/** A template that is stored already: creates are limited by the hour. The provider stub has `hello_world` only, so that is the one. */
export const templateId = async (
  { company }: Pick<ContractFixture, 'company'>,
  name = newTemplateName(),
  more: { wabaId?: string; status?: string; components?: { type: string; text: string }[] } = {},
): Promise<number> => {
  const id = await reserveTemplateIds(company.id, 1);
  const stored = storedTemplate.parse({
    companyId: company.id,
    id,
    name,
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    parameterFormat: 'POSITIONAL',
    components: [{ type: 'BODY', text: 'Hello.' }],
    providerId: String(2_000_000 + id),
    statusAt: 0,
    rev: 1,
    createdAt: 0,
    updatedAt: 0,
    ...more,
  });
  const added = await createTemplateRow(stored, undefined);
  return added.done ? id : (added.current?.id ?? 0);
};

const daysAgo = ({ testApp }: ContractFixture, days: number): string =>
  new Date(testApp.clock.now() - days * 86_400_000).toISOString().slice(0, 10);

const aFlow = { type: 'flow', flow_id: '123', button: 'Book', screen: 'FIRST', data: { day: 'Tuesday' } };

let names = 0;
const newName = (): string => `name ${++names}`;

/** A record of the first company, made through its route. */
const newRecord = async ({ testApp, company }: ContractFixture, kind: string, body: object): Promise<number> => {
  const answer = await testApp.call({ method: 'POST', path: `/api/v1/${kind}`, token: company.tokens.owner, body });
  return z.object({ data: z.object({ id: z.int() }) }).parse(answer.body).data.id;
};

/** What the provider stub has, so that no sync takes it away. */
export const sendable = async (fixture: Pick<ContractFixture, 'company'>): Promise<string> => {
  await templateId(fixture, 'hello_world');
  return 'hello_world';
};

/** A message that waits for its time, in the state in which a schedule leaves it. */
const scheduledId = async ({ company, conversationId }: ContractFixture): Promise<number> => {
  const dueAt = Date.now() + 86_400_000;
  const id = messageId(Date.now(), newPhone());
  const where = { companyId: company.id, contactId: conversationId, id };
  await putScheduledMessage({ ...where, dueAt });
  await createMessage(
    storedMessage.parse({ ...where, inbound: false, type: 1, subtype: 'text', value: 'Hi', status: 0, dueAt, createdAt: 0, updatedAt: 0 }),
  );
  return id;
};

/** A contact that wrote just now, as only such can be blocked. */
const newWriter = async ({ testApp, company, newContact }: ContractFixture): Promise<number> => {
  const from = newPhone().replace('+', '');
  await testApp.call(inboundText(company, { from, text: 'Hello', at: testApp.clock.now() }));
  await testApp.drain();
  return newContact(`+${from}`);
};

const anyFilter = { match: 'all', rules: [{ field: 'city', op: 'eq', value: 'Berlin' }] };

/** Finished, as are those before it: ten may run at a time. */
const newJob = async (fixture: ContractFixture): Promise<number> => {
  await fixture.testApp.drain();
  const id = await newRecord(fixture, 'contact-jobs', {
    contact_ids: [await fixture.newContact(newPhone())],
    change: { add_groups: ['Jobs'] },
  });
  await fixture.testApp.drain();
  return id;
};

/** One for every route, by its name; each call gives fresh data, so that no two requests stand in each other's way. */
export const examples: Readonly<Record<string, (fixture: ContractFixture) => Example | Promise<Example>>> = {
  ...webhookExamples,
  ...campaignExamples,
  ...shopExamples,
  ...verificationExamples,
  getMe: () => ({}),
  listAuditEntries: () => ({ query: { limit: 2 } }),
  getUsage: () => ({ query: { from: '2026-11-01', to: '2026-11-21' } }),
  ...accountExamples,
  ...spendExamples,

  showReference: () => ({}),
  showReferenceFile: () => ({ params: { file: 'openapi.json' } }),
  showReferencePage: () => ({ params: { section: 'operations', page: 'sendText' } }),

  listContacts: () => ({ query: { limit: 2 } }),
  createContact: () => ({ body: { phone: newPhone(), name: 'Ada', groups: ['Friends'], fields: { plan: 'gold' } } }),
  getContact: ({ contactId }) => ({ params: { id: contactId } }),
  updateContact: async (fixture) => ({
    params: { id: await fixture.newContact(newPhone()) },
    body: { add_groups: ['spring'], name: 'Bea' },
  }),
  mergeContacts: async (fixture) => ({
    params: { id: await fixture.newContact(newPhone()) },
    body: { contact_id: await fixture.newContact(newPhone()) },
  }),
  blockContact: async (fixture) => ({ params: { id: await newWriter(fixture) } }),
  unblockContact: async (fixture) => {
    const id = await newWriter(fixture);
    unwrap(await blockContact(fixture.company.id, id));
    return { params: { id } };
  },
  listContactConsents: async (fixture) => {
    const id = await fixture.newContact(newPhone());
    await fixture.testApp.call({
      method: 'PATCH',
      path: `/api/v1/contacts/${id}`,
      token: fixture.company.tokens.member,
      body: { subscribed: false },
    });
    await fixture.testApp.drain();
    return { params: { id } };
  },
  replaceContact: async (fixture) => ({ params: { id: await fixture.newContact(newPhone()) }, body: { phone: newPhone(), name: 'Bea' } }),
  deleteContact: async (fixture) => ({ params: { id: await fixture.newContact(newPhone()) } }),
  eraseContact: async (fixture) => ({ params: { id: await fixture.newContact(newPhone()) } }),
  getErasure: async (fixture) => {
    const id = await fixture.newContact(newPhone());
    await eraseContact(fixture.company.id, id, { cause: 'request' });
    return { params: { id } };
  },
  createImport: async (fixture) => {
    await forgetWaitingImports(fixture);
    return { body: { filename: 'people.csv', size: 20 } };
  },
  listImports: () => ({ query: { limit: 2 } }),
  getImport: async (fixture) => ({ params: { id: await newImport(fixture) } }),
  cancelImport: async (fixture) => ({ params: { id: await newImport(fixture) } }),
  previewImport: async (fixture) => ({ params: { id: await newImport(fixture) } }),
  startImport: async (fixture) => ({ params: { id: await newImport(fixture) } }),

  createContactJob: async (fixture) => ({
    body: { contact_ids: [await fixture.newContact(newPhone())], change: { add_groups: [newName()] } },
  }),
  listContactJobs: () => ({ query: { limit: 2 } }),
  getContactJob: async (fixture) => ({ params: { id: await newJob(fixture) } }),
  cancelContactJob: async (fixture) => ({ params: { id: await newJob(fixture) } }),
  listSegments: () => ({}),
  createSegment: () => ({ body: { name: newName(), filter: anyFilter } }),
  updateSegment: async (fixture) => ({
    params: { id: await newRecord(fixture, 'segments', { name: newName(), filter: anyFilter }) },
    body: { name: newName(), filter: anyFilter },
  }),
  deleteSegment: async (fixture) => ({ params: { id: await newRecord(fixture, 'segments', { name: newName(), filter: anyFilter }) } }),

  preflightGroup: async (fixture) => ({ params: { id: await newRecord(fixture, 'groups', { name: newName() }) } }),
  checkGroupPhones: async (fixture) => ({ params: { id: await newRecord(fixture, 'groups', { name: newName() }) } }),
  checkPhone: () => ({ body: { phone: newPhone() } }),

  getGroupsAndFields: ({ contactId }) => ({ params: { id: contactId } }),
  listCountries: () => ({}),
  bulkSyncContacts: () => ({ body: { contacts: [{ phone: newPhone(), name: 'Ada' }, { phone: newPhone() }], country_code: '49' } }),
  listGroups: () => ({ query: { showContacts: 'yes', limit: 2 } }),
  createGroup: () => ({ body: { name: newName() } }),
  updateGroup: async (fixture) => ({ params: { id: await newRecord(fixture, 'groups', { name: newName() }) }, body: { name: newName() } }),
  deleteGroup: async (fixture) => ({ params: { id: await newRecord(fixture, 'groups', { name: newName() }) } }),
  listTags: () => ({}),
  createTag: () => ({ body: { name: newName(), color: '#00FF00' } }),
  updateTag: async (fixture) => ({ params: { id: await newRecord(fixture, 'tags', { name: newName() }) }, body: { color: '#00ff00' } }),
  deleteTag: async (fixture) => ({ params: { id: await newRecord(fixture, 'tags', { name: newName() }) } }),
  listFields: () => ({}),
  createField: () => ({ body: { key: newName(), type: 'select', options: ['S', 'L'], default_value: 'S' } }),
  updateField: async (fixture) => ({ params: { id: await newRecord(fixture, 'fields', { key: newName() }) }, body: { name: 'Size' } }),
  deleteField: async (fixture) => ({ params: { id: await newRecord(fixture, 'fields', { key: newName() }) } }),

  sendText: () => ({ body: { phone: newPhone(), message: 'Hello' } }),
  sendTextByGet: () => ({ query: { phone: newPhone(), message: 'Hello' } }),

  sendList: () => ({
    body: { phone: newPhone(), message: 'Pick', action: { button: 'Open', sections: [{ rows: [{ id: 'a', title: 'A' }] }] } },
  }),
  sendListByGet: () => ({
    query: {
      phone: newPhone(),
      message: 'Pick',
      action: JSON.stringify({ button: 'Open', sections: [{ rows: [{ id: 'a', title: 'A' }] }] }),
    },
  }),
  sendLocation: () => ({ body: { phone: newPhone(), latitude: 52.5, longitude: '13.4', name: 'Berlin' } }),
  sendContacts: () => ({
    body: {
      phone: newPhone(),
      contacts: [
        {
          name: { formatted_name: 'Ada Lovelace', first_name: 'Ada' },
          phones: [{ phone: '+49 151 1', type: 'WORK', wa_id: '491511' }],
          emails: [{ email: 'ada@example.com', type: 'WORK' }],
          urls: [{ url: 'https://example.com', type: 'WORK' }],
          addresses: [{ city: 'Berlin' }],
          org: { company: 'Engines' },
          birthday: '1990-12-10',
        },
      ],
    },
  }),
  sendInteractive: () => ({ body: { phone: newPhone(), message: 'Come in', interactive: { ...aFlow } } }),
  sendReaction: () => ({ body: { phone: newPhone(), message_id: 'wamid.x', emoji: '👍' } }),
  sendTemplate: async (fixture) => ({
    body: { phone: newPhone(), template_name: await sendable(fixture), template_language: 'en_US' },
  }),
  sendTemplateByGet: async (fixture) => ({
    query: { phone: newPhone(), template_name: await sendable(fixture), template_language: 'en_US' },
  }),
  listMessages: async (fixture) => {
    await scheduledId(fixture);
    return { query: { status: 'scheduled', limit: 2 } };
  },
  getMessage: async (fixture) => ({ params: { id: await scheduledId(fixture) } }),
  rescheduleMessage: async (fixture) => ({
    params: { id: await scheduledId(fixture) },
    body: { scheduled_at: new Date(Date.now() + 86_400_000).toISOString() },
  }),
  cancelMessage: async (fixture) => ({ params: { id: await scheduledId(fixture) } }),
  createUpload: () => ({ body: { filename: 'a.pdf', content_type: 'application/pdf', size: 1_000 } }),

  verifyWebhook: ({ company }) => ({
    params: { webhook_token: company.webhookToken },
    query: { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': company.verifyToken },
  }),
  receiveWebhook: ({ company, signed }) => ({
    params: { webhook_token: company.webhookToken },
    raw: signed({ object: 'whatsapp_business_account', entry: [] }),
  }),

  listTemplates: () => ({ query: { limit: 2, status: 'all' } }),
  createTemplate: () => ({
    body: {
      name: newTemplateName(),
      language: 'en_US',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Hi {{1}}, welcome to us.', example: { body_text: [['Ada']] } }],
    },
  }),
  listTemplateLibrary: () => ({ query: { search: 'delivery' } }),
  getTemplate: async (fixture) => ({ params: { id: await templateId(fixture) } }),
  getTemplateAnalytics: async (fixture) => ({
    params: { id: await templateId(fixture) },
    query: { from: daysAgo(fixture, 9), to: daysAgo(fixture, 2) },
  }),
  updateTemplate: async (fixture) => ({
    params: { id: await templateId(fixture) },
    body: { components: [{ type: 'BODY', text: 'Hi {{1}}, good to see you.', example: { body_text: [['Ada']] } }] },
  }),
  unpauseTemplate: async (fixture) => ({ params: { id: await templateId(fixture, newTemplateName(), { status: 'PAUSED' }) } }),
  renderTemplate: async (fixture) => ({
    params: { id: await templateId(fixture) },
    body: { contact_id: fixture.contactId },
  }),
  syncTemplates: () => ({}),
  syncTemplate: async (fixture) => ({ params: { id: await templateId(fixture, 'hello_world') } }),
  deleteTemplate: async (fixture) => ({ params: { id: await templateId(fixture) } }),
  ...crmExamples,
  listProducts: () => ({ query: { limit: 2 } }),
  createProduct: () => ({ body: { name: 'Mug', price: '7.50', currency: 'EUR' } }),
  getProduct: async (fixture) => ({ params: { id: await newProduct(fixture) } }),
  updateProduct: async (fixture) => ({ params: { id: await newProduct(fixture) }, body: { price: 8 } }),
  deleteProduct: async (fixture) => ({ params: { id: await newProduct(fixture) } }),
  listCategories: () => ({ query: { limit: 2 } }),
  createCategory: () => ({ body: { name: 'Mugs', slug: newSlug() } }),
  getCategory: async (fixture) => ({ params: { id: await newCategory(fixture) } }),
  updateCategory: async (fixture) => ({ params: { id: await newCategory(fixture) }, body: { name: 'Cups' } }),
  deleteCategory: async (fixture) => ({ params: { id: await newCategory(fixture) } }),
  listPublicCategories: ({ company }) => ({ params: { company_id: company.id } }),
  listPublicProducts: ({ company }) => ({ params: { company_id: company.id } }),
  getPublicProduct: async (fixture) => ({ params: { company_id: fixture.company.id, id: await newProduct(fixture) } }),

  listOrders: () => ({ query: { limit: 2 } }),
  getOrder: async (fixture) => ({ params: { id: await newOrder(fixture) } }),
  updateOrder: async (fixture) => ({
    params: { id: await newOrder(fixture) },
    body: { status: 'Processing', items: [{ name: 'Mug', quantity: 2, price: '7.50' }], customer_phone: newPhone() },
  }),
  updateOrderStatus: async (fixture) => ({ params: { id: await newOrder(fixture) }, body: { status: 'Shipped', tracking_number: 'T1' } }),
  getShopSettings: () => ({}),
  updateShopSettings: () => ({ body: { abandoned_cart: { delay_minutes: 90 } } }),
  syncErp: () => ({ body: { products: [{ external_id: newSlug(), name: 'Mug', price: 7.5 }] } }),

  receiveCustom: ({ erpToken }) => ({
    params: { erp_token: erpToken },
    raw: json({ event: 'order.placed', data: { order_number: newSlug(), customer_phone: newPhone(), total_amount: 5 } }),
  }),
  receiveStoreplatform: async (fixture) => ({
    params: await receiver(fixture, 'storeplatform'),
    raw: json({ id: 1, topic: 'products/delete' }),
  }),
  receiveWebshop: async (fixture) => ({
    params: await receiver(fixture, 'webshop'),
    raw: json({ id: 1, name: 'Tee', topic: 'product.updated' }),
  }),
  receiveLogistics: async (fixture) => ({
    params: await receiver(fixture, 'logistics'),
    raw: json({ awb: 'A1', current_status: 'Delivered' }),
  }),
  receiveCheckout: async (fixture) => ({
    params: await receiver(fixture, 'checkout'),
    raw: json({ event: 'checkout.created', checkout_id: 'c1' }),
  }),
  receiveTest: async (fixture) => ({ params: await receiver(fixture, 'test'), raw: json({ event: 'hello' }) }),

  listConversations: () => ({ query: { limit: 2 } }),
  getInboxCounts: () => ({}),
  getInboxReport: () => ({ query: { from: '2026-11-01', to: '2026-11-21' } }),
  getSync: ({ conversationId }) => ({ query: { after: '0', limit: 5, conversation_id: conversationId, state: 'viewing' } }),
  getConversation: ({ conversationId }) => ({ params: { id: conversationId } }),
  listConversationMessages: ({ conversationId }) => ({ params: { id: conversationId }, query: { limit: 2 } }),
  sendTypingIndicator: async ({ testApp, company, conversationId }) => {
    // other tests may have moved the clock past the window of the first message
    await testApp.call(inboundText(company, { from: '4915112345678', text: 'Still there?' }));
    await testApp.drain();
    return { params: { id: conversationId } };
  },
  readConversation: ({ conversationId }) => ({ params: { id: conversationId } }),
  bulkUpdateConversations: ({ conversationId }) => ({ body: { ids: [conversationId], status: 'open', assigned_to: null } }),
  updateConversation: ({ conversationId }) => ({ params: { id: conversationId }, body: { status: 'open', assigned_to: null } }),
  listConversationNotes: ({ conversationId }) => ({ params: { id: conversationId }, query: { limit: 2 } }),
  createConversationNote: ({ conversationId }) => ({ params: { id: conversationId }, body: { body: 'Wants a quote.' } }),
  updateConversationNote: async (fixture) => ({
    params: { id: fixture.conversationId, note_id: await newConversationNote(fixture) },
    body: { body: 'Wants two quotes.' },
  }),
  deleteConversationNote: async (fixture) => ({ params: { id: fixture.conversationId, note_id: await newConversationNote(fixture) } }),
  listCannedReplies: () => ({}),
  setCannedReply: () => ({ params: { shortcut: 'hours' }, body: { text: 'We are here from 9 to 17.' } }),
  deleteCannedReply: async ({ company }) => {
    await setCannedReply(company.id, 'bye', 'Goodbye.');
    return { params: { shortcut: 'bye' } };
  },
  setPresence: ({ conversationId }) => ({ params: { id: conversationId }, body: { state: 'viewing' } }),
  getKeywords: () => ({}),
  setKeywords: () => ({ body: { stop: ['STOP', 'no more please'], stop_reply: null } }),
};

const newConversationNote = async ({ company, conversationId }: ContractFixture): Promise<number> =>
  unwrap(
    await createConversationNote(
      { companyId: company.id, userId: company.users.owner },
      conversationId,
      { body: 'Wants a quote.' },
      drawWithoutKey,
    ),
  ).id;

/** At most ten imports wait for their start, and hundreds of tests make one. */
async function forgetWaitingImports({ company }: ContractFixture): Promise<void> {
  if (await getWaitingImports(company.id)) await waitingImportsEntity.change({ companyId: company.id }, { set: { createdAt: {} } });
}

/** An import whose file is uploaded. */
async function newImport(fixture: ContractFixture): Promise<number> {
  const { company } = fixture;
  await forgetWaitingImports(fixture);
  const file = `phone\n${newPhone()}\n`;
  const created = await createImport(company.id, { filename: 'people.csv', size: Buffer.byteLength(file) });
  if (isProblem(created)) throw new Error(created.problem);
  await fetch(created.upload?.url ?? '', { method: 'PUT', headers: created.upload?.headers ?? {}, body: file });
  return created.id;
}

const made = async ({ testApp, company }: ContractFixture, path: string, body: Record<string, unknown>): Promise<number> => {
  const answer = await testApp.call({ method: 'POST', path, token: company.tokens.owner, body });
  return (answer.body as { data: { id: number } }).data.id;
};
const newProduct = (fixture: ContractFixture): Promise<number> => made(fixture, '/api/v1/shop/products', { name: 'Mug', price: 7.5 });
const newCategory = (fixture: ContractFixture): Promise<number> =>
  made(fixture, '/api/v1/shop/categories', { name: 'Mugs', slug: newSlug() });
const newOrder = async ({ company }: ContractFixture): Promise<number> => {
  const number = newSlug();
  const facts = { kind: 'order', source: 'custom', externalId: number, number, currency: 'EUR', total: '15.00' } as const;
  return (await upsertOrder(company.id, facts, { key: undefined })).order.id;
};

const json = (body: unknown): { body: string; headers: Record<string, string> } => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});
const receiver = async ({ company }: ContractFixture, name: Receiver): Promise<{ webhook_token: string }> => ({
  webhook_token: unwrap(await issueWebhookToken(company.id, { receiver: name })).secret,
});
