import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { receiverPath, receivers } from '../../functions/account/contract/receiver.ts';
import { createCompany, listCompanies } from '../../functions/account/service/companies.ts';
import { isStored } from '../../functions/account/service/credentials.ts';
import {
  issueErpToken,
  issueWebhookToken,
  listMachineCredentials,
  setSharedSecret,
} from '../../functions/account/service/machine-tokens.ts';
import { addNumber, getNumberByProviderId, listActiveNumbers, listNumbers } from '../../functions/account/service/numbers.ts';
import { recordNumberCheck } from '../../functions/account/service/provider-updates.ts';
import { issueToken } from '../../functions/account/service/tokens.ts';
import { createUser, listUsers } from '../../functions/account/service/users.ts';
import { createProfile, issueKey, listProfiles } from '../../functions/account/service/verification-profiles.ts';
import { addProviderApp, getSharedApp, getSignupApp, setProviderAppSignup } from '../../functions/account/service/provider-apps.ts';
import { getProviderAccount } from '../../functions/templates/gateway/templates.ts';
import { syncAccount } from '../../functions/templates/service/sync-account.ts';
import { operatorOwner } from '../../functions/spend/contract/stored.ts';
import { addRateCard } from '../../functions/spend/service/rate-cards.ts';
import { newToken } from '../../shared/access/token.ts';
import type { Problem } from '../../shared/contract/problems.ts';
import { now } from '../../shared/runtime/clock.ts';
import { writeFileAtomically } from './data-folder.ts';
import { byRole, type Demo, demoFile, signedReceivers } from './demo-file.ts';
import { demoTemplates } from './demo-templates.ts';
import { simulatorCards } from './rate-cards.ts';

type DemoCompany = Demo['companies'][number];

export interface DemoOptions {
  /** Where the product answers, without a slash at its end: `http://localhost:3000`. */
  baseUrl: string;
  providerUrl: string;
  /** `http://localhost:3000/_local`. */
  controlUrl: string;
  dataDir: string;
  /** What the product's functions have: the addresses of table and secrets among it. Set in this process. */
  env: Record<string, string>;
  /** The simulator's control, when its port is not open yet; takes `/_local/provider/...`. Over HTTP when left out. */
  control?: ProviderControl;
  /** Makes a third company, which fillExampleCompany gives content. */
  withExample?: boolean;
}
export type ProviderControl = (
  method: string,
  path: string,
  body: unknown,
) => ProviderAnswer | undefined | Promise<ProviderAnswer | undefined>;
interface ProviderAnswer {
  status: number;
  body?: unknown;
}

/** The app of the deployment, with whose dialog numbers are connected: its ids at the simulated provider. */
export const demoApp = { id: '300000000000001', configurationId: '400000000000001' } as const;

/**
 * The demo companies in the laptop's table and at its provider simulator, and DIR/demo.json about them. Made once: with a demo.json in
 * the folder only the addresses are brought up to date. All secrets are on disk (DIR/demo.partial.json, then demo.json) before they are
 * in the table, and every step checks whether it is done already, so a seed that was cut off anywhere goes on where it stopped.
 */
export const seedDemo = async (options: DemoOptions): Promise<Demo> => {
  Object.assign(process.env, options.env);
  const file = join(options.dataDir, 'demo.json');
  const partial = join(options.dataDir, 'demo.partial.json');
  if (existsSync(file)) {
    const demo = await moved(demoFile.parse(await withSigningSecrets(file)), options);
    rmSync(partial, { force: true });
    return demo;
  }
  const plan = existsSync(partial) ? planFile.parse(readJson(partial)) : newPlan(options.withExample === true);
  writeSecret(partial, plan);
  const ids: number[] = [];
  for (const company of plan) ids.push(await companyNamed(company.name, company.timezone));
  // to the end of both, also when one fails: the next seed must not meet this one still at work
  const seeded = await Promise.allSettled(plan.map((company, index) => seedCompany(ids[index] ?? 0, company, options.baseUrl)));
  const companies = seeded.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
  for (const [index, company] of companies.entries()) await register(company, options, plan[index]?.accessToken ?? '');
  await seedApp(companies, options);
  for (const card of simulatorCards(now())) await addRateCard(operatorOwner, card);
  const demo: Demo = {
    base_url: options.baseUrl,
    companies,
    local: { provider_url: options.providerUrl, control_url: options.controlUrl },
  };
  writeSecret(file, demo);
  rmSync(partial, { force: true });
  return demo;
};

const roleNames = ['owner', 'admin', 'member', 'viewer'] as const;

const planFile = z.array(
  z.object({
    name: z.string(),
    timezone: z.string(),
    domain: z.string(),
    people: byRole(z.string()).optional(),
    phone: z.string(),
    phoneNumberId: z.string(),
    wabaId: z.string(),
    accessToken: z.string(),
    appSecret: z.string(),
    verifyToken: z.string(),
    tokens: byRole(z.string()),
    erpToken: z.string(),
    webhookTokens: z.record(z.enum(receivers), z.string()),
    sharedSecrets: z.record(z.enum(signedReceivers), z.string()),
    publicKey: z.string(),
    secretKey: z.string(),
  }),
);
type Plan = z.output<typeof planFile>[number];

const planned = [
  { name: 'Alder Bakery', timezone: 'Europe/Berlin', domain: 'alder.example' },
  { name: 'Birch Outdoor', timezone: 'America/New_York', domain: 'birch.example' },
];
const example = {
  name: 'Cedar Furniture',
  timezone: 'Europe/Madrid',
  domain: 'cedar.example',
  people: { owner: 'Nora Lindqvist', admin: 'David Abreu', member: 'Mia Keller', viewer: 'Sam Porter' },
};

function newPlan(withExample: boolean): Plan[] {
  return [...planned, ...(withExample ? [example] : [])].map((company, index) => ({
    ...company,
    phone: `1555010000${index + 1}`,
    phoneNumberId: `10000000000000${index + 1}`,
    wabaId: `20000000000000${index + 1}`,
    accessToken: `EAA${randomBytes(48).toString('hex')}`,
    appSecret: randomBytes(16).toString('hex'),
    verifyToken: randomBytes(16).toString('hex'),
    tokens: { owner: newToken('token'), admin: newToken('token'), member: newToken('token'), viewer: newToken('token') },
    erpToken: newToken('erp_token'),
    webhookTokens: forEachReceiver(() => newToken('webhook_token')),
    sharedSecrets: { storeplatform: newSecret(), webshop: newSecret(), logistics: newSecret(), checkout: newSecret() },
    publicKey: newToken('public_key'),
    secretKey: newToken('secret_key'),
  }));
}

function newSecret(): string {
  return randomBytes(24).toString('hex');
}

function forEachReceiver(make: () => string): Record<(typeof receivers)[number], string> {
  return { messaging: make(), storeplatform: make(), webshop: make(), logistics: make(), checkout: make(), test: make() };
}

async function companyNamed(name: string, timezone: string): Promise<number> {
  const known = (await listCompanies()).find((company) => company.name === name);
  return known?.id ?? done(await createCompany({ name, timezone })).id;
}

async function seedCompany(companyId: number, plan: Plan, baseUrl: string): Promise<DemoCompany> {
  const users = await seedPeople(companyId, plan);
  await seedNumber(companyId, plan);
  await seedMachines(companyId, plan);
  const profileId = await seedVerification(companyId, plan);
  const receiver = (name: Exclude<keyof Plan['webhookTokens'], 'messaging'>) => ({
    url: `${baseUrl}${receiverPath(name, plan.webhookTokens[name])}`,
  });
  const signing = (name: (typeof signedReceivers)[number]) => ({ ...receiver(name), secret: plan.sharedSecrets[name] });
  return {
    id: companyId,
    name: plan.name,
    ...(plan.people === undefined ? {} : { is_example: true }),
    tokens: plan.tokens,
    users,
    messaging: {
      phone_number: plan.phone,
      phone_number_id: plan.phoneNumberId,
      waba_id: plan.wabaId,
      webhook_url: `${baseUrl}${receiverPath('messaging', plan.webhookTokens.messaging)}`,
      verify_token: plan.verifyToken,
      app_secret: plan.appSecret,
    },
    shop: {
      erp_token: plan.erpToken,
      receivers: {
        storeplatform: signing('storeplatform'),
        webshop: signing('webshop'),
        custom: { url: `${baseUrl}${receiverPath('custom', plan.erpToken)}` },
        logistics: signing('logistics'),
        checkout: signing('checkout'),
        test: receiver('test'),
      },
    },
    verification: { profile_id: profileId, public_key: plan.publicKey, secret_key: plan.secretKey },
  };
}

async function seedPeople(companyId: number, plan: Plan): Promise<DemoCompany['users']> {
  const known = done(await listUsers(companyId));
  const users = { owner: 0, admin: 0, member: 0, viewer: 0 };
  for (const role of roleNames) {
    const email = `${role}@${plan.domain}`;
    const name = plan.people?.[role] ?? `Demo ${role[0]?.toUpperCase()}${role.slice(1)}`;
    users[role] = (known.find((user) => user.email === email) ?? done(await createUser(companyId, { name, email, role }))).id;
    // no expiry: a demo must outlive a clock moved by years
    if (!(await isStored(plan.tokens[role])))
      done(await issueToken(companyId, { user_id: users[role], name: 'demo', life_days: null }, plan.tokens[role]));
  }
  return users;
}

async function seedNumber(companyId: number, plan: Plan): Promise<void> {
  const known = done(await listNumbers(companyId));
  if (known.some((number) => number.phone_number_id === plan.phoneNumberId)) return;
  done(
    await addNumber(companyId, {
      phone: plan.phone,
      phone_number_id: plan.phoneNumberId,
      waba_id: plan.wabaId,
      access_token: plan.accessToken,
      app_secret: plan.appSecret,
      verify_token: plan.verifyToken,
    }),
  );
}

async function seedMachines(companyId: number, plan: Plan): Promise<void> {
  if (!(await isStored(plan.erpToken))) done(await issueErpToken(companyId, { name: 'demo' }, plan.erpToken));
  for (const receiver of receivers) {
    const token = plan.webhookTokens[receiver];
    if (await isStored(token)) continue;
    // The provider signs with the number's app secret. The test receiver takes unsigned posts.
    const secret = receiver === 'messaging' || receiver === 'test' ? {} : { shared_secret: plan.sharedSecrets[receiver] };
    done(await issueWebhookToken(companyId, { receiver, name: 'demo', ...secret }, token));
  }
}

async function seedVerification(companyId: number, plan: Plan): Promise<string> {
  const known = done(await listProfiles(companyId)).find(({ name }) => name === 'Demo');
  const profile = known ?? done(await createProfile(companyId, { name: 'Demo' }));
  if (!(await isStored(plan.publicKey)))
    done(await issueKey(companyId, profile.id, { name: 'demo' }, { public_key: plan.publicKey, secret_key: plan.secretKey }));
  return profile.id;
}

/** The provider knows the number, where its webhooks go, and the approved templates; and the product knows these. */
async function register({ id, messaging }: DemoCompany, options: DemoOptions, accessToken: string): Promise<void> {
  await putAt(options, '/_local/provider/numbers', {
    company_id: id,
    waba_id: messaging.waba_id,
    phone_number_id: messaging.phone_number_id,
    display_phone_number: messaging.phone_number,
    access_token: accessToken,
    app_secret: messaging.app_secret,
    webhook_url: messaging.webhook_url,
    verify_token: messaging.verify_token,
  });
  await putAt(options, '/_local/provider/templates', { waba_id: messaging.waba_id, templates: demoTemplates });
  await atSimulator(options.providerUrl, async () => {
    done(await syncAccount(id));
    await takeCurrency(id);
  });
}

async function putAt(options: DemoOptions, path: string, body: unknown): Promise<void> {
  const control = options.control ?? overHttp(options.controlUrl);
  const answer = await control('PUT', path, body);
  if (answer?.status !== 200) throw new Error(`The provider simulator answered ${answer?.status ?? 'nothing'} to PUT ${path}.`);
}

/** The app of the deployment, here and at the provider. Its secret is derived, so that a seed that was cut off finds the same. */
async function seedApp(companies: readonly DemoCompany[], options: DemoOptions): Promise<void> {
  const { id: app_id, configurationId: configuration_id } = demoApp;
  const secretOfFirst = companies[0]?.messaging.app_secret ?? '';
  const app_secret = createHash('sha256').update(`app of the deployment ${secretOfFirst}`).digest('hex').slice(0, 32);
  const hosted_url = `${options.providerUrl}/dialog/hosted?client_id=${app_id}`;
  const app = await getSharedApp(app_id);
  if (!app) done(await addProviderApp({ app_id, app_secret, name: 'Demo app' }));
  const inUse = await getSignupApp();
  if (inUse === undefined || (inUse.id === app_id && inUse.signup?.hostedUrl !== hosted_url))
    done(await setProviderAppSignup({ app_id, configuration_id, hosted_url }));
  await putAt(options, '/_local/provider/apps', { app_id, app_secret, configuration_id });
}

/** The product gets the templates by its own sync, as it gets all; from the simulator, also when the product uses another provider. */
async function atSimulator(providerUrl: string, read: () => Promise<void>): Promise<void> {
  const { PROVIDER_BASE_URL: configured } = process.env;
  process.env.PROVIDER_BASE_URL = providerUrl;
  try {
    await read();
  } finally {
    if (configured === undefined) delete process.env.PROVIDER_BASE_URL;
    else process.env.PROVIDER_BASE_URL = configured;
  }
}

/** The currency of the account, which the daily check would read within a day: a preview shows amounts at once. */
async function takeCurrency(companyId: number): Promise<void> {
  for (const number of await listActiveNumbers(companyId)) {
    const account = await getProviderAccount(number, number.wabaId);
    if (account.outcome !== 'done' || account.value.currency === undefined) continue;
    await recordNumberCheck(number, now(), { currency: account.value.currency });
  }
}

/** The simulator's controls at the address of the laptop's own. */
export function overHttp(controlUrl: string): ProviderControl {
  return async (method, path, body) => {
    const address = `${controlUrl}${path.replace(/^\/_local/, '')}`;
    const request = {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    };
    const answer = await fetch(address, request);
    return { status: answer.status, body: await answer.text() };
  };
}

/**
 * Sets the signing secrets that a demo.json of an older version lacks. The table comes first: after a crash the next start finds no secret
 * in the file and sets another one.
 */
async function withSigningSecrets(file: string): Promise<unknown> {
  const demo = olderDemo.parse(readJson(file));
  for (const { id, shop } of demo.companies) {
    for (const name of signedReceivers) {
      const receiver = shop.receivers[name];
      if (receiver.secret !== undefined) continue;
      const token = done(await listMachineCredentials(id, 'webhook_token')).find((each) => each.receiver === name && each.name === 'demo');
      const secret = newSecret();
      if (token) done(await setSharedSecret(id, 'webhook_token', token.id, secret));
      receiver.secret = secret;
      writeSecret(file, demo);
    }
  }
  return demo;
}

const olderReceiver = z.looseObject({ secret: z.string().optional() });
const olderDemo = z.looseObject({
  companies: z.array(
    z.looseObject({
      id: z.int(),
      shop: z.looseObject({
        receivers: z.looseObject({
          storeplatform: olderReceiver,
          webshop: olderReceiver,
          logistics: olderReceiver,
          checkout: olderReceiver,
        }),
      }),
    }),
  ),
});

/** The demo under the addresses of this start; the provider is updated when its webhooks have moved. */
async function moved(demo: Demo, options: DemoOptions): Promise<Demo> {
  const isHere = demo.base_url === options.baseUrl;
  const local = { ...demo.local, provider_url: options.providerUrl, control_url: options.controlUrl };
  const companies = isHere ? demo.companies : demo.companies.map((company) => rebased(company, demo.base_url, options.baseUrl));
  const next: Demo = { ...demo, base_url: options.baseUrl, companies, local };
  for (const company of isHere ? [] : companies) {
    const number = await getNumberByProviderId(company.id, company.messaging.phone_number_id);
    if (number) await register(company, options, await number.accessToken());
  }
  if (!isHere || demo.local.provider_url !== options.providerUrl || !(await getSharedApp(demoApp.id))) await seedApp(companies, options);
  if (JSON.stringify(next) !== JSON.stringify(demo)) writeSecret(join(options.dataDir, 'demo.json'), next);
  return next;
}

function rebased(company: DemoCompany, from: string, to: string): DemoCompany {
  const rebase = <T extends { url: string }>(place: T): T => ({ ...place, url: place.url.replace(from, to) });
  const { storeplatform, webshop, custom, logistics, checkout, test } = company.shop.receivers;
  return {
    ...company,
    messaging: { ...company.messaging, webhook_url: company.messaging.webhook_url.replace(from, to) },
    shop: {
      ...company.shop,
      receivers: {
        ...company.shop.receivers,
        storeplatform: rebase(storeplatform),
        webshop: rebase(webshop),
        custom: rebase(custom),
        logistics: rebase(logistics),
        checkout: rebase(checkout),
        test: rebase(test),
      },
    },
  };
}

function done<T extends object>(result: T): Exclude<T, Problem> {
  if ('problem' in result) throw new Error(`The demo could not be made: ${JSON.stringify(result)}`);
  return result as Exclude<T, Problem>;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** For the owner of the folder alone: it is all secrets. */
function writeSecret(file: string, content: unknown): void {
  writeFileAtomically(file, `${JSON.stringify(content, null, 2)}\n`, 0o600);
}
