import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BusinessNumber } from '../../../functions/account/service/numbers.ts';
import { webhookFields } from '../../../functions/messaging/domain/webhook-fields.ts';
import { currentVersion } from '../../../shared/provider/versions.ts';
import { type Ran, runProcess, words } from '../../support/command-line.ts';
import { product, runAdmin } from './product.ts';

const admin = (line: string, input?: string): Promise<Ran> =>
  input === undefined ? runAdmin(words(line)) : runProcess([...words(line), '--data', product.folder], { input });

export const doctorOnLaptop = (): void => {
  describe('the doctor', () => {
    test('reports a healthy demo, then each fault with its remedy', async () => {
      await product.idle();
      // the demo's numbers have the version of the specification
      expect(await admin('doctor')).toMatchObject({
        code: 1,
        out: expect.stringMatching(/Version v19\.0 [^\n]* ended on 2026-05-21: the provider serves v2\d\.0 in its place/),
      });
      await useCurrentVersions();
      const well = expect.poll(() => admin('doctor'), { interval: 500 }); // the dispatcher first runs a second after the start
      await well.toMatchObject({ code: 0, err: '', out: expect.not.stringMatching(/wrong|doubtful/) });
      expect((await admin('doctor')).out).toContain('The webhook URL that the provider calls is this product’s');

      const [, company] = product.demo.companies;
      const providerUrl = product.demo.local.provider_url;
      const number = company?.messaging;
      const unsubscribed = await fetch(`${providerUrl}/v19.0/${number?.waba_id}/subscribed_apps`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${await tokenOf(1)}` },
      });
      expect(unsubscribed.status).toBe(200);
      await admin('numbers rotate-secret 1 --company 1 --access-token-file -', 'not a token');
      const ill = await admin('doctor');
      expect([ill.code, ill.err]).toEqual([1, '2 things are wrong.\n']);
      expect(ill.out).toMatch(
        /number 1 \(\d+\) of company 1\n(?: {2}ok [^\n]*\n)* {2}wrong +The provider does not take the access token\.\n +-> numbers rotate-secret/,
      );
      expect(ill.out).toContain('No app is subscribed to the business account');
      const one = await admin('doctor --company 2 --json');
      expect(one.code).toBe(1);
      expect(JSON.parse(one.out)).toMatchObject([
        { about: 'deployment' },
        { about: `company 2 (${company?.name})` },
        { about: expect.stringContaining('of company 2') },
      ]);
      expect((await admin('doctor --company 9')).err).toBe('There is no company 9.\n');
    });

    test('numbers connect registers, subscribes the app to the account and to every field under its own URL, and what the provider posts arrives', async () => {
      const [, company] = product.demo.companies;
      const id = company?.messaging.phone_number_id;
      // as at the provider on the first day: no registration, no field, and the URL of another system
      const before = { ...(await registeredAs(id)), access_token: await tokenOf(1), app_secret: company?.messaging.app_secret };
      const put = await product.control('PUT', 'provider/numbers', { ...before, registered: false, app_fields: [] });
      expect(put.status).toBe(200);
      const unregistered = await admin('numbers connect 1 --company 2');
      expect([unregistered.code, unregistered.err]).toEqual([
        1,
        expect.stringMatching(/PENDING at the provider: it is not registered[^]*--pin/),
      ]);
      expect((await admin('numbers connect 1 --company 2 --pin 12')).err).toContain('The PIN is not six digits');

      const connected = await admin('numbers connect 1 --company 2 --pin 482916');
      expect(connected).toMatchObject({ code: 0, err: '' });
      expect(connected.out).toMatch(/every field that is applied[^]*takes a signed test[^]*8 templates are there/);
      expect((await registeredAs(id))['app_fields']).toEqual(expect.arrayContaining([...webhookFields]));
      expect((await admin('doctor --company 2')).out).not.toContain('wrong');

      await product.control('POST', 'provider/inbound', {
        company_id: company?.id,
        from: '4915123450077',
        type: 'text',
        text: 'Hello there',
      });
      await product.idle();
      const list = await product.http({ method: 'GET', path: '/api/v1/conversations', token: company?.tokens.owner ?? '' });
      expect(JSON.stringify(list.body)).toContain('4915123450077');

      const again = await admin('numbers connect 1 --company 2 --json');
      expect(JSON.parse(again.out)).toMatchObject({ number: 1, former_webhook_tokens: [expect.any(Number)], templates: 8 });
      expect((await admin('numbers connect 9 --company 2')).err).toContain('there is 1');
    });

    test('numbers connect refuses a number whose app secret is another app’s, or missing, and leaves no token behind', async () => {
      await admin('numbers rotate-secret 1 --company 2 --app-secret-file -', 'the secret of another app');
      const foreign = await admin('numbers connect 1 --company 2');
      expect([foreign.code, foreign.err]).toEqual([1, expect.stringContaining('not that of the app of the access token')]);
      await admin('numbers rotate-secret 1 --company 2 --remove-app-secret');
      const tokens = (await admin('webhook-tokens list --company 2 --json')).out;
      expect((await admin('numbers connect 1 --company 2')).err).toContain('has no app secret');
      expect((await admin('webhook-tokens list --company 2 --json')).out).toBe(tokens);
    });

    test('an app that companies share has one URL: each company gets what is about its account, also after both are connected again', async () => {
      const shared = { app_id: '1045678901234567', app_secret: 'the secret of the shared app' };
      const companies = product.demo.companies.slice(0, 2);
      for (const [index, { id, messaging }] of companies.entries()) {
        await admin(`numbers rotate-secret 1 --company ${id} --access-token-file -`, `EAA-shared-${index}`);
        const before = await registeredAs(messaging.phone_number_id);
        const put = await product.control('PUT', 'provider/numbers', { ...before, ...shared, access_token: `EAA-shared-${index}` });
        expect(put.status, put.raw).toBe(200);
      }
      const alone = await admin(`numbers connect 1 --company ${companies[1]?.id}`);
      expect(alone.code).toBe(1);
      const added = await admin(`apps add ${shared.app_id} --name "Ours" --app-secret-file - --json`, shared.app_secret);
      expect([added.code, added.err]).toEqual([0, '']);
      const url = (JSON.parse(added.out) as { webhook_url: string }).webhook_url;
      for (let time = 0; time < 2; time++)
        for (const { id } of companies) {
          const connected = await admin(`numbers connect 1 --company ${id} --json`);
          expect([connected.code, connected.err]).toEqual([0, '']);
          expect(JSON.parse(connected.out)).toMatchObject({ webhook_token: null });
        }
      for (const { messaging } of companies)
        expect(await registeredAs(messaging.phone_number_id)).toMatchObject({ webhook_url: url, app_id: shared.app_id });

      for (const { id } of companies)
        await product.control('POST', 'provider/inbound', { company_id: id, from: `4915123450${500 + id}`, type: 'text', text: 'Hello' });
      await product.control('POST', 'provider/inbound', { company_id: companies[0]?.id, from: '4915123450900', type: 'marketing_stop' });
      await product.idle();
      for (const { id, tokens } of companies) {
        const list = await product.http({ method: 'GET', path: '/api/v1/contacts', query: { limit: 100 }, token: tokens.owner });
        const text = JSON.stringify(list.body);
        for (const other of companies) expect(text.includes(`4915123450${500 + other.id}`), `${id} ${other.id}`).toBe(other.id === id);
      }
      expect((await admin(`numbers check 1 --company ${companies[0]?.id}`)).out).not.toContain('wrong');
      expect((await admin('apps list')).out).toContain(shared.app_id);
    });
  });
};

/** A number as the simulator has it. */
async function registeredAs(phoneNumberId: string | undefined): Promise<Record<string, unknown>> {
  const { body } = await product.control('GET', 'provider/numbers');
  const found = (body as { data: { phone_number_id: string }[] }).data.find((each) => each.phone_number_id === phoneNumberId);
  return found ?? {};
}

/** Moves all numbers to a current version: their calls here, their webhooks as in the settings of the provider's app. */
async function useCurrentVersions(): Promise<void> {
  const companies = JSON.parse((await admin('companies list --json')).out) as { id: number }[];
  for (const company of companies)
    for (const number of await storedNumbers(company.id)) {
      const updated = await admin(`numbers update ${number.id} --company ${company.id} --provider-version ${currentVersion}`);
      expect(updated).toMatchObject({ code: 0, err: '' });
      const secrets = { access_token: await number.accessToken(), app_secret: await number.appSecret() };
      const registered = { ...(await registeredAs(number.phoneNumberId)), ...secrets, webhook_version: 'v24.0' };
      expect((await product.control('PUT', 'provider/numbers', registered)).status).toBe(200);
    }
}

/** The access token of a demo company. */
async function tokenOf(index: number): Promise<string> {
  const [number] = await storedNumbers(product.demo.companies[index]?.id ?? 0);
  return number?.accessToken() ?? '';
}

/** The numbers of a company with their secrets, which only the product can unseal. */
async function storedNumbers(companyId: number): Promise<BusinessNumber[]> {
  const { env } = JSON.parse(readFileSync(join(product.folder, 'runtime.json'), 'utf8')) as {
    env: Record<string, string>;
  };
  Object.assign(process.env, env);
  const { listBusinessNumbers: businessNumbers } = await import('../../../functions/account/service/numbers.ts');
  return businessNumbers(companyId);
}
