import { storedTemplate } from '../../functions/messaging/contract/template.ts';
import { storedMessage } from '../../functions/messaging/contract/stored.ts';
import { addMessage } from '../../functions/messaging/store/message.ts';
import { pointTo } from '../../functions/messaging/store/pointer.ts';
import { addTemplate, takeTemplateIds } from '../../functions/messaging/store/template.ts';
import { messageId } from '../../shared/runtime/ids.ts';
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

let phones = 0;
const newPhone = (): string => `+4915120${String(++phones).padStart(6, '0')}`;

let templates = 0;
const newTemplateName = (): string => `template_${++templates}`;

/** A template that is stored already: creates are limited by the hour. The provider stub has `hello_world` only, so that is the one. */
const templateId = async ({ company }: ContractStage, name = newTemplateName()): Promise<number> => {
  const id = await takeTemplateIds(company.id, 1);
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
  });
  const added = await addTemplate(stored, undefined);
  return added.done ? id : (added.current?.id ?? 0);
};

/** What the provider stub has, so that no sync takes it away. */
const sendable = async (stage: ContractStage): Promise<string> => {
  await templateId(stage, 'hello_world');
  return 'hello_world';
};

/** A message that waits for its time, in the state in which a schedule leaves it. */
const scheduledId = async ({ company, conversationId }: ContractStage): Promise<number> => {
  const dueAt = Date.now() + 86_400_000;
  const id = messageId(Date.now(), newPhone());
  const where = { companyId: company.id, contactId: conversationId, id };
  await pointTo({ ...where, dueAt });
  await addMessage(
    storedMessage.parse({ ...where, inbound: false, type: 1, subtype: 'text', value: 'Hi', status: 0, dueAt, createdAt: 0, updatedAt: 0 }),
  );
  return id;
};

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
  sendTemplate: async (stage) => ({
    body: { phone: newPhone(), template_name: await sendable(stage), template_language: 'en_US' },
  }),
  sendTemplateByGet: async (stage) => ({
    query: { phone: newPhone(), template_name: await sendable(stage), template_language: 'en_US' },
  }),
  cancelMessage: async (stage) => ({ params: { id: await scheduledId(stage) } }),
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
  getTemplate: async (stage) => ({ params: { id: await templateId(stage) } }),
  syncTemplates: () => ({}),
  syncTemplate: async (stage) => ({ params: { id: await templateId(stage, 'hello_world') } }),
  deleteTemplate: async (stage) => ({ params: { id: await templateId(stage) } }),

  listConversations: () => ({ query: { limit: 2 } }),
  listConversationMessages: ({ conversationId }) => ({ params: { id: conversationId }, query: { limit: 2 } }),
  readConversation: ({ conversationId }) => ({ params: { id: conversationId } }),
  updateConversation: ({ conversationId }) => ({ params: { id: conversationId }, body: { status: 'open', assigned_to: null } }),
  getKeywords: () => ({}),
  setKeywords: () => ({ body: { stop: ['STOP', 'no more please'], stop_reply: null } }),
};
