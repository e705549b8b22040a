import { issueErpToken } from '../../functions/account/service/machine-tokens.ts';
import { issueToken, revokeCompanyToken, rotateCompanyToken } from '../../functions/account/service/tokens.ts';
import { newCompany, unwrap } from '../support/company.ts';
import type { Call } from '../support/gateway-event.ts';
import type { ContractFixture } from './fixture.ts';
import { called, keysOf, type Mistakes, sendText } from './mistakes.ts';

const me = (more: Parameters<typeof called>[2]) => called('GET', '/api/v1/me', more);
const noToken = { token: undefined } as unknown as Partial<Call>;

const issued = async ({ company }: ContractFixture, more: object = {}): Promise<{ id: number; secret: string }> => {
  const { token, secret } = unwrap(await issueToken(company.id, { user_id: company.users.owner, name: 'mistaken', ...more }));
  return { id: token.id, secret };
};

const wantsBearer = ['Authorization', 'Bearer <API_TOKEN>'];

/** Who calls, with what, and from where. */
export const accessMistakes: Mistakes = {
  1: { what: 'no token', attempt: me(noToken), status: 401, code: 'token_missing', names: wantsBearer },
  2: {
    what: 'a token that there never was',
    attempt: me({ token: `swb_${'x'.repeat(49)}` }),
    status: 401,
    code: 'token_invalid',
    names: ['not valid', 'missing characters'],
  },
  3: {
    what: 'a token that was cut short',
    attempt: me(async ({ company }) => ({ token: company.tokens.owner.slice(0, -3) })),
    status: 401,
    code: 'token_invalid',
    names: ['missing characters'],
  },
  4: {
    what: 'a token without Bearer',
    attempt: me(({ company }) => ({ ...noToken, headers: { authorization: company.tokens.owner } })),
    status: 401,
    code: 'token_missing',
    names: ['must be \\"Bearer <API_TOKEN>\\"'],
  },
  5: {
    what: 'basic credentials',
    attempt: me({ ...noToken, headers: { authorization: 'Basic c3diOng=' } }),
    status: 401,
    code: 'token_missing',
    names: ['must be \\"Bearer <API_TOKEN>\\"'],
  },
  6: {
    what: 'the token in X-Api-Key',
    attempt: me(({ company }) => ({ ...noToken, headers: { 'x-api-key': company.tokens.owner } })),
    status: 401,
    code: 'token_missing',
    names: wantsBearer,
  },
  7: {
    what: 'the token in the address',
    attempt: me(({ company }) => ({ ...noToken, query: { token: company.tokens.owner } })),
    status: 200,
    names: [],
    headers: { deprecation: /^@\d+$/, link: /docs#section\/Authentication/ },
  },
  8: {
    what: 'an ERP token at the API',
    attempt: me(async ({ company }) => ({ token: unwrap(await issueErpToken(company.id, {})).secret })),
    status: 401,
    code: 'token_invalid',
    names: ['This is an ERP token (erp_...)', 'takes a personal access token (swb_...)'],
  },
  9: {
    what: 'a secret key of verification at the API',
    attempt: me(async (fixture) => ({ token: (await keysOf(fixture)).secret_key })),
    status: 401,
    code: 'token_invalid',
    names: ['This is a secret key (sk_...)', 'takes a personal access token (swb_...)'],
  },
  10: {
    what: 'a personal token at the ERP sync',
    attempt: called('POST', '/api/shop/erp/sync', { body: { products: [] } }),
    status: 401,
    code: 'token_invalid',
    names: ['This is a personal access token (swb_...)', 'takes an ERP token (erp_...)'],
  },
  11: {
    what: 'a viewer who writes',
    attempt: called('POST', '/api/v1/contacts', ({ company }) => ({ token: company.tokens.viewer, body: { phone: '+4915123456789' } })),
    status: 403,
    code: 'insufficient_scope',
    names: ['contacts:write', 'details.required'],
  },
  12: {
    what: 'a call from a network that the token is not for',
    attempt: me(async (fixture) => ({
      token: (await issued(fixture, { networks: ['198.51.100.0/24'] })).secret,
      sourceIp: '203.0.113.77',
    })),
    status: 403,
    code: 'ip_not_allowed',
    names: [
      /The token \d+ \(\.\.\.[0-9A-Za-z]{4}\) may not be used from 203\.0\.113\.77/,
      '"address":"203.0.113.77"',
      'networks',
      'POST /tokens',
    ],
  },
  13: {
    what: 'a token without the scope',
    attempt: async (fixture) =>
      sendText(
        { phone: '+4915123456789', message: 'Hi' },
        { token: (await issued(fixture, { scopes: ['profile:read'] })).secret },
      )(fixture),
    status: 403,
    code: 'insufficient_scope',
    names: ['messages:send'],
  },
  14: {
    what: 'a token that was revoked',
    attempt: me(async (fixture) => {
      const { id, secret } = await issued(fixture);
      unwrap(await revokeCompanyToken(fixture.company.id, id));
      return { token: secret };
    }),
    status: 401,
    code: 'token_revoked',
    names: ['revoked', 'POST /tokens'],
  },
  91: {
    what: 'the secret that a rotation replaced',
    attempt: me(async (fixture) => {
      const { id, secret } = await issued(fixture);
      unwrap(await rotateCompanyToken(fixture.company.id, id, 0));
      return { token: secret };
    }),
    status: 401,
    code: 'token_expired',
    names: ['A rotation put another secret in the place of this one', 'Use the secret that the rotation answered with'],
  },
  92: {
    what: 'a token of a company in which it is not',
    attempt: called('GET', '/api/v1/contacts/1', async () => ({ token: (await newCompany()).tokens.owner })),
    status: 404,
    code: 'not_found',
    names: ['Records of other companies are never shown'],
  },
};
