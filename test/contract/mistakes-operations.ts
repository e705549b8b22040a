import { createHmac } from 'node:crypto';
import { issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { providerPost, unwrap } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { templateId } from './examples.ts';
import type { ContractFixture } from './fixture.ts';
import { called, changed, keysOf, type Mistakes, sendText, withFields, without } from './mistakes.ts';

const phone = '+4915123456789';
const invalid = { status: 422, code: 'validation_failed' } as const;
const wrongSignature = { status: 401, code: 'invalid_signature' } as const;

const orderUpdate = async (fixture: ContractFixture, components: unknown, language = 'en_US'): Promise<Answer> => {
  await templateId(fixture, 'order_update', { components: [{ type: 'BODY', text: 'Hi {{1}}, your order {{2}} has shipped.' }] });
  const body = { phone, template_name: 'order_update', template_language: language, ...(components === undefined ? {} : { components }) };
  return called('POST', '/api/v1/messages/template', { body })(fixture);
};
const bodyOf = (...texts: string[]) => [{ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) }];

const path = '/api/v1/verification/request';
const verification = (headers: Record<string, string>, body: unknown = { identifier: phone }, at = path) =>
  called('POST', at, {
    token: undefined as unknown as string,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

interface Signing {
  seconds?: (now: number) => number;
  path?: string;
  encoding?: 'base64' | 'hex';
  headers?: Record<string, string>;
}

/** A signed call as a server makes it, with one thing wrong. */
const signed =
  ({ seconds = (now) => now, path: signedPath = path, encoding = 'base64', headers }: Signing) =>
  async (fixture: ContractFixture): Promise<Answer> => {
    const { public_key, secret_key } = await keysOf(fixture);
    const body = { identifier: phone };
    const timestamp = String(seconds(Math.floor(fixture.testApp.clock.now() / 1_000)));
    const signature = createHmac('sha256', secret_key)
      .update(`${timestamp}.POST.${signedPath}.${JSON.stringify(body)}`)
      .digest(encoding);
    return verification(
      { 'x-public-key': public_key, ...(headers ?? { 'x-timestamp': timestamp }), 'x-signature': signature },
      body,
    )(fixture);
  };
const signedHere = [
  /Sign \\"\d+\.POST\.\/api\/v1\/verification\/request\.<raw body>\\"/,
  '"signed_path":"/api/v1/verification/request"',
  'base64',
];

/** What the operations take: messages, files, webhooks, codes, records. */
export const operationMistakes: Mistakes = {
  49: {
    what: 'a template with a parameter too few',
    attempt: (fixture) => orderUpdate(fixture, bodyOf('Ada')),
    ...invalid,
    names: ['The body of this template has 2 parameters, 1 were given.'],
  },
  50: {
    what: 'a template without its parameters',
    attempt: (fixture) => orderUpdate(fixture, undefined),
    ...invalid,
    names: ['The body of this template has 2 parameters, 0 were given.'],
  },
  51: {
    what: 'a template in a language that it is not in',
    attempt: (fixture) => orderUpdate(fixture, bodyOf('Ada', 'A-1'), 'de'),
    status: 422,
    code: 'template_not_found',
    names: ['There is no template order_update in de; it exists in en_US.'],
  },
  52: {
    what: 'a parameter with a line break',
    attempt: (fixture) => orderUpdate(fixture, bodyOf('Ada\nLovelace', 'A-1')),
    ...invalid,
    names: ['no line breaks, tabs or more than 4 blanks in a row'],
  },
  53: {
    what: 'a text to a customer who did not write',
    attempt: sendText({ phone: '+4915123456700', message: 'Hi' }),
    status: 200,
    names: ['The customer service window is closed'],
  },
  54: {
    what: 'the same, where that is refused',
    attempt: async (fixture) => {
      await templateId(fixture, 'hello_world');
      return sendText({ phone: '+4915123456701', message: 'Hi', window_policy: 'enforce' })(fixture);
    },
    status: 422,
    code: 'window_closed',
    names: ['"suggested_templates":[{"id"', 'Send an approved template'],
  },
  55: {
    what: 'too long a text',
    attempt: sendText({ phone, message: 'x'.repeat(4_097) }),
    ...invalid,
    names: ['Must have at most 4096 characters.'],
  },
  56: {
    what: 'four buttons',
    attempt: sendText({ phone, message: 'Which?', buttons: ['a', 'b', 'c', 'd'].map((title) => ({ title })) }),
    ...invalid,
    names: ['Must have at most 3 buttons.'],
  },
  62: {
    what: 'too large an upload',
    attempt: changed('createUpload', withFields({ size: 200_000_000 })),
    ...invalid,
    names: ['Must be a whole number from 1 to 104857600.'],
  },
  63: {
    what: 'a file of a type that is not sent',
    attempt: changed('createUpload', withFields({ filename: 'setup.exe', content_type: 'application/x-msdownload' })),
    ...invalid,
    names: ['Must be one of jpeg, png', 'mp4', 'pdf'],
  },
  64: {
    what: 'a file at a private address',
    attempt: sendText({ phone, media_url: 'http://10.0.0.8/photo.jpg' }),
    ...invalid,
    names: ['Must be a URL on the public internet.'],
  },
  65: {
    what: 'a webhook without https',
    attempt: changed('createWebhook', withFields({ url: 'http://example.com/hook' })),
    ...invalid,
    names: ['Must begin with https://.'],
  },
  66: {
    what: 'a webhook at a private host',
    attempt: changed('createWebhook', withFields({ url: 'https://10.0.0.8/hook' })),
    ...invalid,
    names: ['Must be reachable from the internet.'],
  },
  67: {
    what: 'a webhook for an event that there is not',
    attempt: changed('createWebhook', withFields({ events: ['message.arrived'] })),
    ...invalid,
    names: ['Must be one of *, message.*', 'campaign.*'],
  },
  68: { what: 'a code without a key', attempt: verification({}), status: 401, code: 'public_key_missing', names: ['X-Public-Key'] },
  69: {
    what: 'a key that there never was',
    attempt: verification({ 'x-public-key': 'pk_live_unknown' }),
    status: 401,
    code: 'public_key_invalid',
    names: ['The verification key is not valid.', 'Check the key'],
  },
  70: {
    what: 'a secret key where the public one belongs',
    attempt: async (fixture) => verification({ 'x-public-key': (await keysOf(fixture)).secret_key })(fixture),
    status: 401,
    code: 'public_key_invalid',
    names: ['This is a secret key (sk_...)', 'rotate it, and use the public key (pk_...)'],
  },
  71: {
    what: 'a clock that is 10 minutes slow',
    attempt: signed({ seconds: (now) => now - 600 }),
    status: 401,
    code: 'timestamp_out_of_range',
    names: ['300 seconds', 'check the clock'],
  },
  72: {
    what: 'a timestamp in milliseconds',
    attempt: signed({ seconds: (now) => now * 1_000 }),
    status: 401,
    code: 'timestamp_out_of_range',
    names: ['in Unix seconds'],
  },
  73: {
    what: 'a signature over the whole URL',
    attempt: signed({ path: `https://api.example.test${path}` }),
    ...wrongSignature,
    names: [...signedHere, 'without host and query'],
  },
  74: {
    what: 'a signature over part of the path',
    attempt: signed({ path: '/verification/request' }),
    ...wrongSignature,
    names: signedHere,
  },
  75: {
    what: 'a signature in hex',
    attempt: signed({ encoding: 'hex' }),
    ...wrongSignature,
    names: ['The signature is in hex; it must be in base64.', ...signedHere],
  },
  76: {
    what: 'a signature without its timestamp',
    attempt: signed({ headers: {} }),
    status: 401,
    code: 'signature_timestamp_required',
    names: ['Send X-Timestamp in Unix seconds.'],
  },
  77: {
    what: 'a code as a number',
    attempt: changed('verifyCode', withFields({ code: 123_456 })),
    ...invalid,
    names: ['"code":["Must be a text: put the number in quotes."]'],
  },
  78: {
    what: 'a request of verification that there is not',
    attempt: changed('verifyCode', withFields({ request_id: '00000000-0000-4000-8000-000000000000' })),
    status: 404,
    code: 'not_found',
    names: ['There is no such record.', 'Check the id'],
  },
  79: {
    what: 'no identifier',
    attempt: changed('requestVerification', without('identifier')),
    ...invalid,
    names: ['"identifier":["This field is required."]'],
  },
  80: {
    what: 'an order event that there is not',
    attempt: ({ testApp, erpToken }) =>
      testApp.call({ method: 'POST', path: `/shop/webhooks/custom/${erpToken}`, body: { event: 'order.created', data: {} } }),
    status: 200,
    names: ['Unknown event order.created; ignored. Known events: order.placed'],
  },
  81: {
    what: 'a webshop that does not sign',
    attempt: async (fixture) => {
      const { secret } = unwrap(
        await issueWebhookToken(fixture.company.id, { receiver: 'webshop', shared_secret: 'a secret of the shop' }),
      );
      return fixture.testApp.call({ method: 'POST', path: `/shop/webhooks/webshop/${secret}`, body: { id: 1 } });
    },
    ...wrongSignature,
    names: ['The header x-wc-webhook-signature is missing.'],
  },
  82: {
    what: 'a post in the name of the provider without a signature',
    attempt: ({ testApp, company }) => {
      const { 'x-hub-signature-256': _signature, ...headers } = { ...providerPost(company, {}).headers };
      return testApp.call({ ...providerPost(company, { object: 'x', entry: [] }), headers });
    },
    ...wrongSignature,
    names: ['The header X-Hub-Signature-256 is missing.'],
  },
  83: {
    what: 'an import that starts before its file is there',
    attempt: async (fixture) => {
      const made = await changed('createImport', (given) => given)(fixture);
      return called('POST', `/api/v1/contacts/imports/${(made.body as { data: { id: number } }).data.id}/start`)(fixture);
    },
    status: 409,
    code: 'upload_missing',
    names: ['PUT the file to upload.url'],
  },
  84: {
    what: 'an id that there is not',
    attempt: called('GET', '/api/v1/contacts/999999'),
    status: 404,
    code: 'not_found',
    names: ['Check the id'],
  },
  85: {
    what: 'an id that is no number',
    attempt: called('GET', '/api/v1/contacts/ada'),
    status: 404,
    code: 'not_found',
    names: ['Check the id'],
  },
  86: {
    what: 'a misspelt field in a filter',
    attempt: called('POST', '/api/v1/segments', {
      body: { name: 'Berlin', filter: { match: 'all', rules: [{ field: 'citty', op: 'eq', value: 'Berlin' }] } },
    }),
    ...invalid,
    names: ['There is no field citty. Did you mean city?'],
  },
  87: {
    what: 'a cursor that was made up',
    attempt: called('GET', '/api/v1/contacts', { query: { cursor: 'page2' } }),
    status: 400,
    code: 'invalid_cursor',
    names: ['Use meta.next_cursor of the previous page unchanged'],
  },
  88: {
    what: 'a send by GET',
    attempt: called('GET', '/api/v1/messages/text', { query: { phone, message: 'Hi' } }),
    status: 200,
    names: [],
    headers: { deprecation: /^@/, sunset: /2027/, link: /successor-version/ },
  },
  89: {
    what: 'a change of what another changed meanwhile',
    attempt: changed('updateLead', withFields({ version: 99 })),
    status: 409,
    code: 'version_conflict',
    names: ['"current":{', '"current_version":1'],
  },
  90: {
    what: 'a change without the version',
    attempt: changed('updateLead', without('version')),
    ...invalid,
    names: ['"version":["This field is required.'],
  },
};
