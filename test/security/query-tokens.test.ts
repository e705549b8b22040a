import { afterAll, expect } from 'vitest';
import { updateCompany } from '../../functions/account/service/companies.ts';
import { issueErpToken } from '../../functions/account/service/machine-tokens.ts';
import { issueToken, rotateCompanyToken } from '../../functions/account/service/tokens.ts';
import { attack } from '../support/attack.ts';
import { newCompany, unwrap } from '../support/company.ts';
import { startTestApp } from '../support/test-app.ts';

const testApp = await startTestApp();
afterAll(() => testApp.stop());

attack(
  'a token that a thief found in an address is worth nothing as one, where the company has switched query_tokens off',
  [
    { in: 'shared/http/caller.ts', replace: 'refusesQueryToken === true && ', by: 'false && ' },
    {
      in: 'functions/account/service/companies.ts',
      replace: '{ set: settingsOfCredential(written.item) }',
      by: '{ set: { companyStatus: written.item.status } }',
    },
    { in: 'functions/account/service/credentials.ts', replace: '...settingsOfCredential(company),', by: '' },
  ],
  async () => {
    const company = await newCompany();
    const { owner } = company.tokens;
    const erp = unwrap(await issueErpToken(company.id, {})).secret;
    const get = async (path: string, query: Record<string, string>, token?: string) => {
      const { status, body } = await testApp.call({
        method: 'GET',
        path: `/api/v1${path}`,
        query,
        ...(token === undefined ? {} : { token }),
      });
      return [status, (body as { code?: string }).code];
    };
    const sync = async () => (await testApp.call({ method: 'POST', path: '/api/shop/erp/sync', query: { token: erp }, body: {} })).status;
    expect(await get('/me', { token: owner })).toEqual([200, undefined]);
    expect(await sync()).not.toBe(401);

    const off = unwrap(await updateCompany(company.id, { settings: { query_tokens: false } }));
    expect(off.settings.query_tokens).toBe(false);
    // made before, made after, and rotated: all refuse
    const later = unwrap(await issueToken(company.id, { user_id: company.users.owner }));
    const rotated = unwrap(await rotateCompanyToken(company.id, later.token.id));
    for (const token of [owner, later.secret, rotated.secret]) {
      expect(await get('/me', { token })).toEqual([401, 'token_missing']);
      expect(await get('/me', {}, token)).toEqual([200, undefined]);
    }
    expect(await sync()).toBe(401);
    // the deprecated sends are specified so
    expect(await get('/messages/text', { token: owner })).toEqual([422, 'validation_failed']);

    unwrap(await updateCompany(company.id, { settings: { query_tokens: true } }));
    expect(await get('/me', { token: owner })).toEqual([200, undefined]);
  },
);
