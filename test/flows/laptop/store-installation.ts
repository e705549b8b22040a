import { expect, it } from 'vitest';
import { product } from './product.ts';

const dataOf = (answer: { body: unknown }): Record<string, unknown> => (answer.body as { data: Record<string, unknown> }).data;

export const storeInstallationOnLaptop = (): void => {
  it('a store is installed on the running product, from the platform’s page to its products, and outlives a restart', async () => {
    const shop = 'flow.myshopify.com';
    await product.control('PUT', 'storeplatform/shops', {
      shop,
      products: [{ legacyResourceId: '9007199254740993', title: 'Lamp' }],
      orders: [{ legacyResourceId: '12' }],
    });
    const { start_url } = dataOf(await product.control('GET', `storeplatform/install?shop=${shop}`));
    const begun = await fetch(String(start_url), { redirect: 'manual' });
    expect(begun.status).toBe(302);
    const consent = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
    const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
    const led = await fetch(consent.headers.get('location') ?? '', { headers: { cookie }, redirect: 'manual' });
    // to the console, with the claim behind the #
    const claim = Object.fromEntries(new URLSearchParams(new URL(led.headers.get('location') ?? '').hash.slice(1)));
    expect(claim).toMatchObject({ shop });
    expect((await product.asOwner({ method: 'POST', path: '/api/v1/shop/connections', body: claim })).status).toBe(201);
    await product.idle();
    expect(dataOf(await product.asOwner({ method: 'GET', path: '/api/v1/shop/connections/1' }))).toMatchObject({
      status: 'active',
      import: { status: 'completed', products: 1, orders: 1 },
    });
    await product.restart();
    const body = { id: 5, title: 'Told later', status: 'active', updated_at: '2026-11-20T00:00:00Z', variants: [{ price: '3.00' }] };
    expect(dataOf(await product.control('POST', 'storeplatform/webhooks', { shop, topic: 'products/create', body }))).toEqual({
      statuses: [200],
    });
    await product.idle();
    const listed = (await product.asOwner({ method: 'GET', path: '/api/v1/shop/products' })).body as { data: Record<string, unknown>[] };
    expect(listed.data).toMatchObject([
      { name: 'Told later', price: '3.00' },
      { name: 'Lamp', external_id: '9007199254740993' },
    ]);
  });
};
