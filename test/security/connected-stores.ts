import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { changeStreamContext, dueWorkContext } from '../../functions/app.ts';
import { contactsContext } from '../../functions/contacts/context.ts';
import { erasuresContext } from '../../functions/erasures/context.ts';
import { shopContext } from '../../functions/shop/context.ts';
import { type Platform, startPlatform } from '../../lib/local/storeplatform/platform.ts';
import { platformOrder } from '../../lib/local/storeplatform/records.ts';
import { installer } from '../shop/installer.ts';
import { newCompany, type TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** The secret of the app, with which the platform signs. */
export const firstSecret = 'a storeplatform-app key of the test app only';

export interface Store {
  shop: string;
  company: TestCompany;
  /** The path of the receiver that the connection made. */
  path: string;
}

/** Companies with stores at a store platform, and who posts to the receivers of these. */
export interface ConnectedStores extends AsyncDisposable {
  testApp: TestApp;
  platform: Platform;
  api: (company: TestCompany, method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<Answer>;
  listOf: (company: TestCompany, path: string) => Promise<Record<string, unknown>[]>;
  /** A company with a connected store and three orders of one customer. */
  connectedStore: (company?: TestCompany) => Promise<Store>;
  connect: (shop: string, company: TestCompany) => Promise<void>;
  receiverPath: (shop: string) => string;
  /** A post with its genuine signature; the headers are whatever the sender likes. */
  post: (path: string, body: unknown, headers: Record<string, string>, key?: string) => Promise<Answer>;
}

export const startConnectedStores = async (): Promise<ConnectedStores> => {
  const platform = await startPlatform({
    clientId: 'k1',
    clientSecret: firstSecret,
    post: async (uri, headers, body) => (await testApp.call({ method: 'POST', path: new URL(uri).pathname, headers, body })).status,
  });
  const testApp = await startTestApp({
    contexts: [shopContext, contactsContext, erasuresContext, changeStreamContext, dueWorkContext],
    env: { STOREPLATFORM_BASE_URL: platform.url, SWITCHBOARD_LOCAL: '1' },
  });
  const api: ConnectedStores['api'] = (company, method, path, body) =>
    testApp.call({ method, path: `/api/v1${path}`, token: company.tokens.owner, ...(body === undefined ? {} : { body }) });
  const connect = async (shop: string, company: TestCompany): Promise<void> => {
    const { finish, consented, claimOf } = installer(
      () => testApp,
      () => platform,
    );
    const { back, cookie } = await consented(shop);
    const claimed = await api(company, 'POST', '/shop/connections', { claim: claimOf(await finish(back, cookie)) });
    expect(claimed.status).toBe(201);
    await testApp.drain();
  };
  const receiverPath = (shop: string): string => new URL(platform.shop(shop).subscriptions[0]?.uri ?? 'https://none').pathname;
  let stores = 0;
  return {
    testApp,
    platform,
    api,
    listOf: async (company, path) => ((await api(company, 'GET', path)).body as { data: Record<string, unknown>[] }).data,
    connectedStore: async (company) => {
      const owner = company ?? (await newCompany());
      const shop = `shelf-${++stores}.myshopify.com`;
      platform.shop(shop).orders.push(...['1', '2', '3'].map((id) => platformOrder(`${stores}${id}`)));
      await connect(shop, owner);
      return { shop, company: owner, path: receiverPath(shop) };
    },
    connect,
    receiverPath,
    post: (path, body, headers, key = firstSecret) => {
      const raw = typeof body === 'string' ? body : JSON.stringify(body);
      const signature = { 'x-shopify-hmac-sha256': createHmac('sha256', key).update(raw).digest('base64') };
      return testApp.call({ method: 'POST', path, body: raw, headers: { 'content-type': 'application/json', ...signature, ...headers } });
    },
    [Symbol.asyncDispose]: async () => {
      await testApp.stop();
      await platform.stop();
    },
  };
};
