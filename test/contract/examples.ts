import type { Call } from '../support/gateway-event.ts';
import { linkToken } from '../../functions/verification/service/secrets.ts';
import { createProfile, issueKey } from '../../functions/account/service/verification.ts';
import { granted } from '../support/company.ts';
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

/** A profile of the first company, and a key of its own for every request: 30 calls a minute are counted by key. */
const profiles = new WeakMap<ContractStage, Promise<string>>();
const publicKey = async (stage: ContractStage): Promise<string> => {
  const { id } = stage.company;
  const made = profiles.get(stage) ?? newProfile(id);
  profiles.set(stage, made);
  return granted(await issueKey(id, await made, {})).public_key;
};
async function newProfile(companyId: number): Promise<string> {
  const settings_json = { velocity: { max_identifiers: 1_000 } };
  return granted(await createProfile(companyId, { name: 'Sign-in', settings_json })).id;
}

const keyed = async (stage: ContractStage): Promise<{ headers: Record<string, string> }> => ({
  headers: { 'x-public-key': await publicKey(stage) },
});

/** A pending verification of a person nobody has asked for yet. */
async function pending(stage: ContractStage, more: Record<string, unknown> = {}): Promise<string> {
  const { headers } = await keyed(stage);
  const body = { identifier: newPhone(), ...more };
  const answer = await stage.world.call({ method: 'POST', path: '/api/v1/verification/request', headers, body });
  return (answer.body as { request_id: string }).request_id;
}
const linkOf = async (stage: ContractStage): Promise<Example> => {
  const request_id = await pending(stage);
  return { params: { request_id, token: await linkToken(stage.company.id, request_id) } };
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

  verifyWebhook: ({ company }) => ({
    params: { webhook_token: company.webhookToken },
    query: { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': company.verifyToken },
  }),
  receiveWebhook: ({ company, signed }) => ({
    params: { webhook_token: company.webhookToken },
    raw: signed({ object: 'whatsapp_business_account', entry: [] }),
  }),

  listConversations: () => ({ query: { limit: 2 } }),
  verificationConfig: (stage) => keyed(stage),
  requestVerification: async (stage) => ({ ...(await keyed(stage)), body: { identifier: newPhone(), purpose: 'login' } }),
  verifyCode: async (stage) => ({ ...(await keyed(stage)), body: { request_id: await pending(stage), code: '000000' } }),
  verificationStatus: async (stage) => ({ ...(await keyed(stage)), params: { request_id: await pending(stage) } }),
  resendCode: async (stage) => ({ ...(await keyed(stage)), body: { request_id: await pending(stage, { silent: true }) } }),
  openMagicLink: linkOf,
  confirmMagicLink: linkOf,

  listConversationMessages: ({ conversationId }) => ({ params: { id: conversationId }, query: { limit: 2 } }),
};
