import { afterAll, describe, expect, test } from 'vitest';
import { connectionsQueue } from '../../functions/shop/contract/connection.ts';
import { problemOf } from '../shop/support.ts';
import { attack } from '../support/attack.ts';
import { firstSecret, startConnectedStores, type Store } from './connected-stores.ts';

/** From when on the URL of a store's receiver, or the secret of its app, is good for nothing. */
const stores = await startConnectedStores();
afterAll(() => stores[Symbol.asyncDispose]());
const { testApp, platform, api, listOf, connectedStore, connect, receiverPath, post } = stores;

describe('a rotation of the app’s secret reaches every connected receiver at once', () => {
  attack(
    'under the old secret posts are refused, under the new one taken, at a store that was connected before',
    [
      {
        in: 'functions/shop/service/receivers.ts',
        replace: 'secrets: (await appCredentials({ lifeMs: 1_000 })).secrets',
        by: `secrets: ['${firstSecret}']`,
      },
    ],
    async () => {
      const { path } = await connectedStore();
      const product = (id: number) => ({
        id,
        title: 'Tee',
        status: 'active',
        updated_at: '2026-11-21T10:00:00Z',
        variants: [{ price: '1.00' }],
      });
      const send = (id: number, key: string) => post(path, product(id), { 'x-shopify-topic': 'products/create' }, key);
      expect((await send(1, firstSecret)).status).toBe(200);
      const [name = '', ring = ''] = [...testApp.secrets].find(([each]) => each.includes('storeplatform-app')) ?? [];
      try {
        testApp.clock.advance(1_000);
        testApp.secrets.set(name, JSON.stringify({ ...(JSON.parse(ring) as object), key: 'the secret after the leak' }));
        expect((await send(2, 'the secret after the leak')).status).toBe(200);
        expect(problemOf(await send(3, firstSecret))).toEqual([401, 'invalid_signature']);
      } finally {
        testApp.secrets.set(name, ring);
        testApp.clock.advance(10_000);
      }
      expect((await send(4, firstSecret)).status).toBe(200);
    },
  );
});

describe('a store that is disconnected sends nothing any more', () => {
  const revoked = {
    in: 'functions/shop/service/maintain-connection.ts',
    replace: '  await revokeReceivers(connection, [connection.sealedReceiver, ...(connection.formerReceivers ?? [])]);\n',
    by: '',
  };
  const product = { id: 7, title: 'Tee', status: 'active', updated_at: '2026-11-21T10:00:00Z', variants: [{ price: '1.00' }] };
  const expectClosed = async ({ shop, path }: Pick<Store, 'shop' | 'path'>): Promise<void> => {
    testApp.clock.advance(10_000);
    expect(problemOf(await post(path, product, { 'x-shopify-topic': 'products/create' }))).toEqual([401, 'invalid_webhook_token']);
    const [row] = (await testApp.dump()).filter((item) => item['kind'] === 'shop-connection' && item['shop'] === shop);
    expect(Object.keys(row ?? {}).filter((name) => name.startsWith('sealed'))).toEqual([]);
  };

  attack(
    'deleteConnection deletes the subscriptions at the platform and revokes the receiver',
    [
      revoked,
      {
        in: 'functions/shop/service/maintain-connection.ts',
        replace: 'deleteSubscriptions(connection, (uri) => uri.endsWith(`/${token}`))',
        by: 'deleteSubscriptions(connection, () => false && token)',
      },
    ],
    async () => {
      const store = await connectedStore();
      expect(platform.shop(store.shop).subscriptions).toHaveLength(10);
      const [connection] = await listOf(store.company, '/shop/connections');
      expect((await api(store.company, 'DELETE', `/shop/connections/${String(connection?.['id'])}`)).status).toBe(200);
      await testApp.drain();
      expect(platform.shop(store.shop).subscriptions).toEqual([]);
      await expectClosed(store);
    },
  );

  attack('app/uninstalled revokes the receiver', [revoked], async () => {
    const store = await connectedStore();
    await platform.uninstall(store.shop);
    await testApp.drain();
    await expectClosed(store);
    expect(testApp.deadLettersOf(connectionsQueue)).toEqual([]);
  });

  test('a platform that does not answer leaves the receiver revoked, and the subscriptions are deleted later', async () => {
    const store = await connectedStore();
    const { faults } = platform.shop(store.shop);
    faults.push('unavailable', 'unavailable');
    await api(store.company, 'DELETE', '/shop/connections/1');
    await testApp.drain();
    expect(platform.shop(store.shop).subscriptions).toEqual([]);
    await expectClosed(store);
  });

  test('a store that is connected again before its end was worked has one receiver, and the former one is revoked', async () => {
    const store = await connectedStore();
    await api(store.company, 'DELETE', '/shop/connections/1');
    await connect(store.shop, store.company);
    const path = receiverPath(store.shop);
    expect(path).not.toBe(store.path);
    testApp.clock.advance(10_000);
    expect((await post(path, product, { 'x-shopify-topic': 'products/create' })).status).toBe(200);
    expect(problemOf(await post(store.path, product, { 'x-shopify-topic': 'products/create' }))).toEqual([401, 'invalid_webhook_token']);
    expect(platform.shop(store.shop).subscriptions).toHaveLength(10);
  });
});
