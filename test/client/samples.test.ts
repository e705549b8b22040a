import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordBlock, getBlockId } from '../../functions/verification/service/block-records.ts';
import { deriveLinkToken } from '../../functions/verification/service/secrets.ts';
import { endingOperations } from '../../lib/generate/collection-order.ts';
import type { Demo } from '../../lib/local/demo-file.ts';
import { demoApp, seedDemo } from '../../lib/local/demo.ts';
import { startProvider } from '../../lib/local/provider/provider.ts';
import { recordAnswer } from '../support/example-answers.ts';
import { inboundText, type Receiving } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { compilerErrors } from './compiles.ts';

/**
 * The samples of the API reference, as they are generated: those in TypeScript compile with the client, and those of curl answer 2xx on a
 * fresh demo, in the order in which a reader makes records, reads, changes and deletes them. Their variables have the values of the demo, and
 * of the answers before.
 */
const root = join(import.meta.dirname, '../..');
type Samples = Record<string, { label: string; source: string }[]>;
const samples = JSON.parse(readFileSync(join(root, 'functions/api-reference/files/code-samples.generated.json'), 'utf8')) as Samples;
const sourceOf = (name: string, label: string): string => samples[name]?.find((each) => each.label === label)?.source ?? '';

/** What a reader of the demo has not, and the test that makes the call. */
const apart: Readonly<Record<string, string>> = {
  createSession: 'a code of one’s own mail: test/security/sign-in-codes.test.ts',
  deleteSession: 'a session: test/security/sessions.test.ts',
  createSignInCode: 'a page of the product: test/security/sign-in-codes.test.ts',
  createPasskeySignIn: 'a page of the product: test/security/passkeys.test.ts',
  createPasskey: 'a device that signs: test/security/passkeys.test.ts',
  deletePasskey: 'a device that signs: test/security/passkeys.test.ts',
  signInWithPasskey: 'a device that signs: test/security/passkeys.test.ts',
  previewImport: 'a file at the signed URL: test/contacts/import.test.ts',
  startImport: 'a file at the signed URL: test/contacts/import.test.ts',
  verifyWebhook: 'the handshake of the provider: test/messaging/receiving.test.ts',
  receiveWebhook: 'a signature of the provider: test/messaging/receiving.test.ts',
  receiveStoreplatform: 'a signature of the store: test/shop/receivers.test.ts',
  receiveWebshop: 'a signature of the store: test/shop/receivers.test.ts',
  receiveLogistics: 'a signature of the sender: test/shop/receivers.test.ts',
  receiveCheckout: 'a signature of the sender: test/shop/carts.test.ts',
  startInstallation: 'a store: test/shop/installations.test.ts',
  finishInstallation: 'a store: test/shop/installations.test.ts',
  receivePlatformNotice: 'a signature of the store platform: test/shop/installations.test.ts',
  claimConnection: 'a store: test/shop/installations.test.ts',
  getConnection: 'a store: test/shop/installations.test.ts',
  importConnection: 'a store: test/shop/installations.test.ts',
  deleteConnection: 'a store: test/shop/installations.test.ts',
  resendDelivery: 'an event that was delivered: test/webhooks/webhooks.test.ts',
};

test('every sample in TypeScript compiles with the client', async () => {
  const sources = Object.keys(samples)
    .map((name) => sourceOf(name, 'TypeScript'))
    .filter((source) => source !== '');
  expect(sources.length).toBeGreaterThan(180);
  const prelude = `import { switchboard } from 'switchboard-client';
const api = switchboard({ baseUrl: '', token: '' });
declare const profileId: string, requestId: string, keyId: string, templateId: string, entryId: string, blockId: string, linkCode: string, loggedRequestId: string;
declare const signupState: string, signupCode: string;
declare const messageId: number, tokenId: number;
`;
  const blocks = sources.map((source) => `export const _${sources.indexOf(source)} = async () => {\n${source}\nreturn answer;\n};\n`);
  expect(await compilerErrors([['samples', prelude + blocks.join('')]])).toBe('');
});

let testApp: TestApp;
let provider: Awaited<ReturnType<typeof startProvider>>;
let demo: Demo;
const folder = mkdtempSync(join(tmpdir(), 'switchboard-samples-'));
beforeAll(async () => {
  provider = await startProvider({ dataDir: folder, log: () => undefined });
  testApp = await startTestApp({ env: { PROVIDER_BASE_URL: provider.url } });
  demo = await seedDemo({
    baseUrl: 'http://127.0.0.1:9',
    providerUrl: provider.url,
    controlUrl: 'http://127.0.0.1:9/_local',
    dataDir: folder,
    env: { PROVIDER_BASE_URL: provider.url },
    control: (...call) => provider.control(...call),
  });
});
afterAll(async () => {
  await provider.stop();
  await testApp.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Made first; what others need before others. */
const makes = /^(create|add|sync|set|send|bulk|request|receiveCustom|receiveTest)/;
const first = [
  'createGroup',
  'createTag',
  'createContact',
  'createField',
  'createPipeline',
  'createLead',
  'createCategory',
  'createProduct',
  'sendText',
];
const ends =
  /^(rotate|revoke|deactivate|cancel|complete|erase|delete|update|replace|move|restore|clone|connect|retry|reschedule|confirm|verifyCode)/;

const rankOf = (name: string): number => {
  if (endingOperations.includes(name)) return 1_000 + endingOperations.indexOf(name);
  if (first.includes(name)) return first.indexOf(name);
  if (/^delete|^revoke|^deactivate/.test(name)) return 500;
  return ends.test(name) ? 300 : makes.test(name) ? 100 : 200;
};

test('every sample of curl answers 2xx on a fresh demo, but those that need a device, a file or a signature', async () => {
  const [company] = demo.companies;
  if (!company) throw new Error('There is no demo company.');
  const known: Record<string, string> = {
    TOKEN: company.tokens.owner,
    ERP_TOKEN: company.shop.erp_token,
    WEBHOOK_TOKEN: company.shop.receivers.test.url.split('/').at(-1) ?? '',
    PUBLIC_KEY: company.verification.public_key,
    PROFILE_ID: company.verification.profile_id,
    BLOCK_ID: await newBlock(company.id, company.verification.profile_id),
  };
  const names = Object.keys(samples).filter((name) => !(name in apart));
  expect(names.length).toBeGreaterThan(200);
  expect(Object.keys(apart).filter((name) => !(name in samples))).toEqual([]);
  const failed: string[] = [];
  for (const name of names.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    await before(name, company, known);
    const answer = await run(sourceOf(name, 'curl'), known);
    if (answer.status < 200 || answer.status > 299) failed.push(`${name}: ${answer.status} ${answer.raw.slice(0, 300)}`);
    recordAnswer(name, answer);
    learn(name, answer, known);
    if (!/^(get|list)/.test(name)) await testApp.drain();
    testApp.clock.advance(1_000);
  }
  expect(failed).toEqual([]);
}, 180_000);

async function before(name: string, company: Demo['companies'][number], known: Record<string, string>): Promise<void> {
  const companyId = company.id;
  if (name === 'openMagicLink' || name === 'confirmMagicLink')
    known['MAGIC_TOKEN'] = await deriveLinkToken(companyId, known['REQUEST_ID'] ?? '');
  // the window of the sample's conversation is open
  if (name === 'sendTypingIndicator') {
    const contact = await testApp.call({ method: 'GET', path: '/api/v1/contacts/1', token: known['TOKEN'] ?? '' });
    const { phone: from } = (contact.body as { data: { phone: string } }).data;
    await testApp.call(inboundText(receivingOf(company), { from, text: 'Hello', at: testApp.clock.now() }));
    await testApp.drain();
  }
  // the owner's token was revoked before it
  if (name === 'signOutEverywhere') known['TOKEN'] = demo.companies[0]?.tokens.admin ?? '';
  // it is a secret of the app at the provider
  const app_secret = appSecrets[name];
  if (app_secret) await provider.control('PUT', '/_local/provider/apps', { app_id: '1045678901234567', app_secret });
  if (name === 'completeSignup') known['SIGNUP_CODE'] = await dialogCode();
  if (name === 'blockContact') await writeAs(1);
  if (name === 'getLoggedRequest') known['LOGGED_REQUEST_ID'] = await refusedCall(known['TOKEN'] ?? '');
  // of two tasks one was completed
  if (name === 'cancelTask') await run(sourceOf('createTask', 'curl'), known);
  if (name === 'rescheduleMessage' || name === 'cancelMessage') {
    const body = { phone: '+4915123456789', message: 'Later', scheduled_at: new Date(testApp.clock.now() + 86_400_000).toISOString() };
    const answer = await testApp.call({ method: 'POST', path: '/api/v1/messages/text', token: known['TOKEN'] ?? '', body });
    learn('sendText', answer, known);
  }
}

/** As the samples have them, of the app that they name. */
const appSecrets: Readonly<Record<string, string>> = {
  createApp: 'the secret of the app',
  rotateAppSecret: 'the new secret of the app',
};

const receivingOf = ({ messaging }: Demo['companies'][number]): Receiving => ({
  number: { phone: messaging.phone_number, phoneNumberId: messaging.phone_number_id, wabaId: messaging.waba_id },
  appSecret: messaging.app_secret,
  webhookPath: new URL(messaging.webhook_url).pathname,
});

/** What the simulated dialog of the provider gives for a new number. */
async function dialogCode(): Promise<string> {
  const body = JSON.stringify({ client_id: demoApp.id, config_id: demoApp.configurationId });
  const answer = await fetch(`${provider.url}/dialog/finish`, { method: 'POST', body });
  return ((await answer.json()) as { code: string }).code;
}

/** A call that is in the request log, since it was refused. */
async function refusedCall(token: string): Promise<string> {
  const { status, headers } = await testApp.call({ method: 'POST', path: '/api/v1/messages/text', token, body: {} });
  expect(status).toBe(422);
  return String(headers['x-request-id']);
}

/** A contact that wrote a moment ago, as only such can be blocked. */
async function writeAs(contactId: number): Promise<void> {
  const [company] = demo.companies;
  if (!company) throw new Error('There is no demo company.');
  const { tokens } = company;
  const shown = await testApp.call({ method: 'GET', path: `/api/v1/contacts/${contactId}`, token: tokens.owner });
  const from = (shown.body as { data: { phone: string } }).data.phone;
  await provider.control('POST', '/_local/provider/inbound', { company_id: company.id, from, text: 'Hello' });
  await testApp.call(inboundText(receivingOf(company), { from, text: 'Hello', at: testApp.clock.now() }));
  await testApp.drain();
}

const learned: Readonly<Record<string, readonly [variable: string, field: RegExp]>> = {
  sendText: ['MESSAGE_ID', /"message_id":(\d+)/],
  createToken: ['TOKEN_ID', /"id":(\d+)/],
  createSignup: ['SIGNUP_STATE', /"state":"([^"]+)"/],
  createNumberLink: ['LINK_CODE', /"code":"([A-Z0-9]+)"/],
  rotateToken: ['TOKEN', /"(swb_[^"]+)"/],
  requestVerification: ['REQUEST_ID', /"request_id":"([^"]+)"/],
  createVerificationKey: ['KEY_ID', /"id":"([^"]+)"/],
  createVerificationTemplate: ['VERIFICATION_TEMPLATE_ID', /"id":"([^"]+)"/],
  createVerificationWhitelist: ['ENTRY_ID', /"id":"([^"]+)"/],
};
function learn(name: string, { raw }: Answer, known: Record<string, string>): void {
  const [variable, field] = learned[name] ?? [];
  const value = field?.exec(raw)?.[1];
  if (variable !== undefined && value !== undefined) known[variable] = value;
}

async function newBlock(companyId: number, id: string): Promise<string> {
  const block = { subjectKind: 'ip' as const, subject: '192.0.2.9', shown: '192.0.2.9', reason: 'velocity_limit' };
  const at = testApp.clock.now();
  await recordBlock({ companyId, id }, { ...block, blockedUntil: at + 3_600_000 }, at);
  return getBlockId(id, block);
}

/** The command as a shell reads it: its variables filled in, its quotes taken away. */
function run(source: string, known: Readonly<Record<string, string>>): Promise<Answer> {
  const filled = source
    .replaceAll(' \\\n  ', ' ')
    .replaceAll('$(uuidgen)', crypto.randomUUID())
    .replaceAll(/'?\$([A-Z_]+)'?/g, (_, name: string) => (name === 'BASE' ? '' : (known[name] ?? `$${name}`)));
  const [, method, url = ''] = /^curl -s (?:-X (\w+) )?"([^"]*)"/.exec(filled) ?? [];
  const headers = [...filled.matchAll(/-H ["']([\w-]+): ([^"']*)["']/g)].map(([, name = '', value = '']) => [name.toLowerCase(), value]);
  const body = / -d '(.*)'$/s.exec(filled)?.[1]?.replaceAll("'\\''", "'");
  return testApp.call({
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    path: url,
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...(body === undefined ? {} : { body }),
  });
}
