import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueToken } from '../../functions/account/service/tokens.ts';
import { roleScopes } from '../../functions/account/domain/credential.ts';
import { type Role, roles } from '../../shared/contract/route.ts';
import { allRoutes } from '../contract/fixture.ts';
import { attack } from '../support/attack.ts';
import { unwrap } from '../support/company.ts';
import { type Caller, field, type Fixture, startFixture } from '../verification/fixture.ts';

/** Who is a trusted caller of the five operations of verification. */
let fixture: Fixture;
let caller: Caller;
beforeAll(async () => {
  fixture = await startFixture();
  caller = await fixture.newCaller({ require_signature: true }, ['viewer', 'member', 'admin']);
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Each operation, with what it answers a bearer who may call it. */
const operations: readonly [method: 'GET' | 'POST', path: string, body: () => Record<string, unknown> | undefined][] = [
  ['GET', '/config', () => undefined],
  ['POST', '/request', () => ({ identifier: fixture.newPhone() })],
  ['POST', '/verify', () => ({ request_id: crypto.randomUUID(), code: '000000' })],
  ['GET', `/status/${crypto.randomUUID()}`, () => undefined],
  ['POST', '/resend', () => ({ request_id: crypto.randomUUID() })],
];
const call = ([method, path, body]: (typeof operations)[number], token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  return method === 'GET' ? caller.get(path, { headers }) : caller.post(path, body(), { headers });
};

attack(
  "a viewer's token, or one for contacts only, sends codes as a trusted caller",
  [
    {
      in: 'shared/http/caller.ts',
      replace: "!('scope' in caller) || !['token', 'session'].includes(principal.credentialKind)",
      by: "caller.kind !== 'token'",
    },
  ],
  async () => {
    const { company } = caller;
    const narrow = unwrap(await issueToken(company.id, { user_id: company.users.owner, name: 'till', scopes: ['contacts:read'] })).secret;
    const sent = fixture.provider.requests.length;
    for (const operation of operations)
      for (const token of [company.tokens.viewer, narrow])
        expect(await call(operation, token)).toMatchObject({
          status: 403,
          body: { code: 'insufficient_scope', details: { required: 'verification:request' } },
        });
    await fixture.testApp.drain();
    expect(fixture.provider.requests).toHaveLength(sent);
  },
);

test('members and above hold verification:request, and a token with it is a trusted caller', async () => {
  expect(roles.filter((role) => roleScopes[role].includes('verification:request'))).toEqual(['member', 'admin', 'owner']);
  const bearers = allRoutes.flatMap(({ route }) => (route.caller.kind === 'public_key' ? [route.caller] : []));
  expect(bearers.map(({ scope, role }) => `${scope} ${role}`)).toEqual(Array.from({ length: 5 }, () => 'verification:request member'));
  for (const role of ['member', 'admin', 'owner'] satisfies Role[])
    for (const operation of operations) expect([200, 404]).toContain((await call(operation, caller.company.tokens[role])).status);
  // a public key alone does not pass the signature that the profile requires
  const unsigned = await caller.post('/request', { identifier: fixture.newPhone() });
  expect([unsigned.status, field(unsigned, 'code')]).toEqual([401, 'signature_required']);
});
