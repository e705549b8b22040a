import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { getCompany } from '../../functions/account/service/companies.ts';
import { getSigningSecrets } from '../../functions/account/service/signing-secrets.ts';
import type { Demo } from '../../lib/local/demo-file.ts';
import { demoTemplates } from '../../lib/local/demo-templates.ts';
import { type ProviderControl, seedDemo } from '../../lib/local/demo.ts';
import { getTemplateByName } from '../../functions/templates/store/template.ts';
import { startProvider } from '../../lib/local/provider/provider.ts';
import { authenticate } from '../../shared/access/credential.ts';
import { onTable, tableError } from '../support/sdk-hooks.ts';
import { startAccountApp, company } from '../account/setup.ts';

const testApp = await startAccountApp();
const folder = mkdtempSync(join(tmpdir(), 'switchboard-demo-'));
const provider = await startProvider({ dataDir: folder, log: () => undefined });
const calls: { path: string; body: Record<string, unknown> }[] = [];
const control: ProviderControl = (method, path, body) => {
  calls.push({ path, body: body as Record<string, unknown> });
  return provider.control(method, path, body);
};
const seed = (port = 3000): Promise<Demo> =>
  seedDemo({
    baseUrl: `http://127.0.0.1:${port}`,
    providerUrl: provider.url,
    controlUrl: `http://127.0.0.1:${port}/_local`,
    dataDir: folder,
    env: { PROVIDER_BASE_URL: 'http://127.0.0.1:9' },
    control,
  });
beforeEach(() => {
  calls.length = 0;
});
afterAll(async () => {
  await provider.stop();
  await testApp.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the demo', () => {
  test('is complete after a seed that failed at any of its writes', async () => {
    let cut = 0;
    let demo: Demo | undefined;
    for (let allowed = 1; !demo && allowed < 200; allowed += 7, cut++) {
      let writes = 0;
      using _ = onTable(({ command, when }) => {
        if (!/Write|Put|Update/.test(command)) return;
        if (when === 'after' && ++writes === allowed) throw tableError('CutOff');
        if (writes >= allowed) throw tableError('CutOff');
      });
      demo = await seed().catch(() => undefined);
    }
    expect(cut).toBeGreaterThan(3);
    expect(demo?.companies.map(({ name }) => name)).toEqual(['Alder Bakery', 'Birch Outdoor']);
    const items = await testApp.dump();
    const count = (kind: string): number => items.filter((item) => item['kind'] === kind).length;
    expect([count('company'), count('user'), count('business-number'), count('verification-profile')]).toEqual([2, 8, 2, 2]);
    // and the receiver of the app that both connect numbers with
    expect(count('credential')).toBe(2 * (4 + 1 + 6 + 2) + 1);
    expect(existsSync(join(folder, 'demo.partial.json'))).toBe(false);
  });

  test('is readable only by the owner of the folder, in the documented format', async () => {
    const demo = await seed();
    expect(statSync(join(folder, 'demo.json')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'))).toEqual(demo);
    const [first, second] = demo.companies;
    expect(first?.messaging.webhook_url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/webhook\/messaging\/receive\/[0-9A-Za-z]{43}$/);
    expect(first?.shop.receivers.custom.url).toBe(`http://127.0.0.1:3000/shop/webhooks/custom/${first?.shop.erp_token}`);
    expect(first?.messaging.phone_number).not.toBe(second?.messaging.phone_number);
    expect(first?.messaging.waba_id).not.toBe(second?.messaging.waba_id);
  });

  test('has tokens, receivers and keys that work', async () => {
    const demo = await seed();
    for (const each of demo.companies) {
      for (const role of ['owner', 'admin', 'member', 'viewer'] as const) {
        const { body } = await testApp.call({ method: 'GET', path: '/api/v1/me', token: each.tokens[role] });
        expect(body).toMatchObject({ data: { id: each.users[role], company_id: each.id, role } });
      }
      const { webshop, storeplatform, logistics, checkout, test: tests } = each.shop.receivers;
      const unsigned = [{ url: tests.url, secrets: [] as string[] }];
      const signed = [webshop, storeplatform, logistics, checkout].map(({ url, secret }) => ({ url, secrets: [secret] }));
      for (const { url, secrets } of [...signed, ...unsigned]) {
        const checked = await authenticate(['webhook_token'], url.split('/').at(-1) ?? '', 'receiver');
        if (!checked.ok) throw new Error(`${url} does not work.`);
        expect(url).toContain(`/${checked.principal.subject}/`);
        expect(await getSigningSecrets(each.id, 'webhook_token', checked.principal.credentialId)).toEqual(secrets);
      }
      const { public_key, secret_key, profile_id } = each.verification;
      for (const key of [public_key, secret_key])
        expect(await authenticate(['public_key', 'secret_key'], key, 'read')).toMatchObject({
          ok: true,
          principal: { subject: profile_id },
        });
    }
  });

  test('has its approved templates at the provider and in the product, for either provider', async () => {
    const demo = await seed();
    for (const { id } of demo.companies) {
      for (const { name, language, category } of demoTemplates)
        expect(await getTemplateByName(id, name, language)).toMatchObject({ status: 'APPROVED', category, providerId: expect.any(String) });
    }
  });

  test('is unchanged at the next start; at another port only the URLs change, also at the provider', async () => {
    const before = await seed();
    expect(calls).toEqual([]);
    expect(await seed()).toEqual(before);
    const moved = await seed(4000);
    expect(JSON.stringify(moved)).not.toContain(':3000');
    expect(JSON.stringify(moved).replaceAll(':4000', ':3000')).toBe(JSON.stringify(before));
    const numbers = calls.filter(({ path }) => path.endsWith('/numbers')).map(({ body }) => body);
    expect(numbers.map((body) => body['webhook_url'])).toEqual(moved.companies.map(({ messaging }) => messaging.webhook_url));
    expect(numbers[0]?.['access_token']).toMatch(/^EAA/);
    const templates = calls.find(({ path }) => path.endsWith('/templates'))?.body['templates'] as typeof demoTemplates;
    expect(templates.map(({ name }) => name)).toEqual([
      'hello_world',
      'order_update',
      'spring_sale',
      'verification_code',
      'garden_picks',
      'weekend_offer',
      'whole_catalog',
      'new_arrivals',
    ]);
  });

  test('of an older version gets the signing secrets that its demo.json lacks', async () => {
    const before = await seed();
    const file = join(folder, 'demo.json');
    const older = structuredClone(before) as { companies: { shop: { receivers: Record<string, { secret?: string }> } }[] };
    for (const { shop } of older.companies) for (const name of ['logistics', 'checkout']) delete shop.receivers[name]?.secret;
    writeFileSync(file, JSON.stringify(older));
    const after = await seed();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(after);
    for (const each of after.companies)
      for (const { url, secret } of [each.shop.receivers.logistics, each.shop.receivers.checkout]) {
        const checked = await authenticate(['webhook_token'], url.split('/').at(-1) ?? '', 'receiver');
        if (!checked.ok) throw new Error(`${url} does not work.`);
        expect(await getSigningSecrets(each.id, 'webhook_token', checked.principal.credentialId)).toEqual([secret]);
      }
    expect(after.companies[0]?.shop.receivers.webshop).toEqual(before.companies[0]?.shop.receivers.webshop);
  });

  test('does not touch companies of the operator', async () => {
    const own = await company({ name: 'An own one' });
    const demo = await seed();
    expect(demo.companies.map(({ id }) => id)).not.toContain(own.id);
    expect(await getCompany(own.id)).toMatchObject({ name: 'An own one', userCount: 0, numberCount: 0 });
  });
});
