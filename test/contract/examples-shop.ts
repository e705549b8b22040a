import { createHmac } from 'node:crypto';
import { claimConnection } from '../../functions/shop/service/installations.ts';
import { type Platform, startPlatform } from '../../lib/local/storeplatform/platform.ts';
import { unwrap } from '../support/company.ts';
import type { Example } from './examples.ts';
import type { ContractFixture } from './fixture.ts';

const clientSecret = 'a storeplatform-app key of the test app only';

/** One stand-in of the store platform for all examples; the product is pointed at it. */
let platform: Promise<Platform> | undefined;
const standIn = async (): Promise<Platform> => {
  const started = await (platform ??= startPlatform({ clientId: 'k1', clientSecret }));
  Object.assign(process.env, { STOREPLATFORM_BASE_URL: started.url, SWITCHBOARD_LOCAL: '1' });
  return started;
};

let shops = 0;
const newShop = (): string => `example-${++shops}.myshopify.com`;

const started = async (): Promise<NonNullable<Example['query']>> =>
  Object.fromEntries(new URLSearchParams((await standIn()).startQuery(newShop())));

/** Back from the consent, with the cookie of the browser that began. */
async function consented({ testApp }: ContractFixture): Promise<Example> {
  const begun = await testApp.call({ method: 'GET', path: '/shop/connect/storeplatform/start', query: await started() });
  const consent = await fetch(begun.headers['location'] ?? '', { redirect: 'manual' });
  const back = new URL(consent.headers.get('location') ?? '');
  return { query: Object.fromEntries(back.searchParams), headers: { cookie: begun.headers['set-cookie']?.split(';')[0] ?? '' } };
}

async function newClaim(fixture: ContractFixture): Promise<string> {
  const example = await consented(fixture);
  const page = await fixture.testApp.call({ method: 'GET', path: '/shop/connect/storeplatform/callback', ...example });
  return /data-claim="([^"]+)"/.exec(page.raw)?.[1] ?? '';
}

export const connectedStore = async (fixture: ContractFixture): Promise<{ id: number; shop: string }> =>
  unwrap(await claimConnection(fixture.company.id, { claim: await newClaim(fixture) }));

const connected = async (fixture: ContractFixture): Promise<Example> => ({ params: { id: (await connectedStore(fixture)).id } });

/** What privacy law has the platform post, signed with the app's secret. */
export const platformNotice = (topic: string, notice: object): Example => {
  const body = JSON.stringify(notice);
  const signature = createHmac('sha256', clientSecret).update(body).digest('base64');
  return {
    raw: { body, headers: { 'content-type': 'application/json', 'x-shopify-topic': topic, 'x-shopify-hmac-sha256': signature } },
  };
};

export const shopExamples: Record<string, (fixture: ContractFixture) => Example | Promise<Example>> = {
  startInstallation: async () => ({ query: await started() }),
  finishInstallation: consented,
  receivePlatformNotice: () => platformNotice('shop/redact', { shop_domain: 'nobody.myshopify.com', shop_id: 1 }),
  listConnections: () => ({ query: { limit: 2 } }),
  claimConnection: async (fixture) => ({ body: { claim: await newClaim(fixture) } }),
  getConnection: connected,
  importConnection: connected,
  deleteConnection: connected,
  listPrivacyRequests: () => ({}),
  listCarts: () => ({}),
  listTestCalls: () => ({}),
  listReceiverPosts: () => ({ query: { outcome: 'refused', limit: 2 } }),
};
