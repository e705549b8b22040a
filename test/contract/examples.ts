import * as z from 'zod';
import { createImport } from '../../functions/contacts/service/imports.ts';
import { storedTemplate } from '../../functions/messaging/contract/template.ts';
import { addTemplate, takeTemplateIds } from '../../functions/messaging/store/template.ts';
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

let names = 0;
const newName = (): string => `name ${++names}`;

/** A record of the first company, made through its route. */
const newRecord = async ({ world, company }: ContractStage, kind: string, body: object): Promise<number> => {
  const answer = await world.call({ method: 'POST', path: `/api/v1/${kind}`, token: company.tokens.owner, body });
  return z.object({ data: z.object({ id: z.int() }) }).parse(answer.body).data.id;
};

/** One for every route, by its name; each call gives fresh data, so that no two requests stand in each other's way. */
export const examples: Readonly<Record<string, (stage: ContractStage) => Example | Promise<Example>>> = {
  getMe: () => ({}),

  listContacts: () => ({ query: { limit: 2 } }),
  createContact: () => ({ body: { phone: newPhone(), name: 'Ada', groups: ['Friends'], fields: { plan: 'gold' } } }),
  getContact: ({ contactId }) => ({ params: { id: contactId } }),
  replaceContact: async (stage) => ({ params: { id: await stage.newContact(newPhone()) }, body: { phone: newPhone(), name: 'Bea' } }),
  deleteContact: async (stage) => ({ params: { id: await stage.newContact(newPhone()) } }),
  createImport: () => ({ body: { filename: 'people.csv' } }),
  listImports: () => ({ query: { limit: 2 } }),
  getImport: async (stage) => ({ params: { id: await newImport(stage) } }),
  startImport: async (stage) => ({ params: { id: await newImport(stage) } }),

  preflightGroup: async (stage) => ({ params: { id: await newRecord(stage, 'groups', { name: newName() }) } }),
  checkGroupPhones: async (stage) => ({ params: { id: await newRecord(stage, 'groups', { name: newName() }) } }),
  checkPhone: () => ({ body: { phone: newPhone() } }),

  getGroupsAndFields: ({ contactId }) => ({ params: { id: contactId } }),
  listCountries: () => ({}),
  bulkSyncContacts: () => ({ body: { contacts: [{ phone: newPhone(), name: 'Ada' }, { phone: newPhone() }], country_code: '49' } }),
  listGroups: () => ({ query: { showContacts: 'yes', limit: 2 } }),
  createGroup: () => ({ body: { name: newName() } }),
  updateGroup: async (stage) => ({ params: { id: await newRecord(stage, 'groups', { name: newName() }) }, body: { name: newName() } }),
  deleteGroup: async (stage) => ({ params: { id: await newRecord(stage, 'groups', { name: newName() }) } }),
  listTags: () => ({}),
  createTag: () => ({ body: { name: newName(), color: '#00FF00' } }),
  updateTag: async (stage) => ({ params: { id: await newRecord(stage, 'tags', { name: newName() }) }, body: { color: '#00ff00' } }),
  deleteTag: async (stage) => ({ params: { id: await newRecord(stage, 'tags', { name: newName() }) } }),
  listFields: () => ({}),
  createField: () => ({ body: { key: newName(), type: 'select', options: ['S', 'L'], default_value: 'S' } }),
  updateField: async (stage) => ({ params: { id: await newRecord(stage, 'fields', { key: newName() }) }, body: { name: 'Size' } }),
  deleteField: async (stage) => ({ params: { id: await newRecord(stage, 'fields', { key: newName() }) } }),

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

/** An import whose file is uploaded. */
async function newImport({ company }: ContractStage): Promise<number> {
  const { id, upload } = await createImport(company.id, { filename: 'people.csv' });
  await fetch(upload?.url ?? '', { method: 'PUT', body: `phone\n${newPhone()}\n` });
  return id;
}
