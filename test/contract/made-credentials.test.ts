import { afterAll, beforeAll, expect, test } from 'vitest';
import { roleScopes } from '../../functions/account/domain/credential.ts';
import { sessionInputOf, startSession } from '../../functions/account/service/sessions.ts';
import { issueToken, listCompanyTokens, revokeCompanyToken } from '../../functions/account/service/tokens.ts';
import { parseUser } from '../../functions/account/store/user.ts';
import { credentialEntity } from '../../shared/access/credential.ts';
import { isWithinNetworks } from '../../shared/access/networks.ts';
import { tokenHash } from '../../shared/access/token.ts';
import { madeKinds, type Scope, scopes } from '../../shared/contract/route.ts';
import { unwrap } from '../support/company.ts';
import { credential } from '../support/credentials.ts';
import { type Call, withSession } from '../support/gateway-event.ts';
import { allRoutes, codeOf, type ContractFixture, type NamedRoute, startFixture } from './fixture.ts';

/** All credentials that make others, by all operations that make one: what is made is within its maker (docs/access.md). */
let fixture: ContractFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const making = allRoutes.filter(({ route }) => route.makes !== undefined && route.caller.kind === 'token');
const networks = ['203.0.113.0/24'];
const inside = '203.0.113.9';

interface Maker {
  name: string;
  principal: { scopes: readonly Scope[]; networks?: readonly string[]; expiresAt?: number | undefined };
  /** For calls that the examples prepare as its user. */
  token: string;
  as: (call: Call) => Call;
}

/** A token with these scopes and networks, for a day, and a session with what that has, whose user has just shown to be there. */
const makersOf = async (held: readonly Scope[], within?: readonly string[]): Promise<[Maker, Maker]> => {
  // a user has at most 50 tokens
  for (const { id } of unwrap(await listCompanyTokens(fixture.company.id, fixture.company.users.owner)).filter(
    ({ name, status }) => name !== 'owner' && status === 'active',
  ))
    unwrap(await revokeCompanyToken(fixture.company.id, id));
  const { token, secret } = unwrap(
    await issueToken(fixture.company.id, {
      user_id: fixture.company.users.owner,
      scopes: [...held],
      life_days: 1,
      ...(within ? { networks: [...within] } : {}),
    }),
  );
  const session = unwrap(
    await startSession({ ...unwrap(await sessionInputOf(secret, inside)), name: 'Firefox', signedInBy: 'passkey' }),
  ).secret;
  const principal = { scopes: held, ...(within ? { networks: within } : {}), expiresAt: Date.parse(String(token.expires_at)) };
  return [
    { name: 'a token', principal, token: secret, as: (call) => ({ ...call, token: secret }) },
    {
      name: 'a session of it',
      principal,
      token: secret,
      as: ({ token: _token, ...call }) => withSession(call, session),
    },
  ];
};
const scopeOf = ({ route }: NamedRoute): Scope[] => ('scope' in route.caller ? [route.caller.scope] : []);

/** What calls are made with, and what that may, by the hash of each secret; and users and passkeys, which lead to sessions. */
const credentials = async () => {
  const [secrets, users, passkeys] = await Promise.all(['credential', 'user', 'passkey'].map((kind) => fixture.testApp.dump({ kind })));
  return {
    secrets: new Map(secrets?.map((item) => [String(item['hash']), credentialEntity.parse(item)])),
    users: new Map(users?.map((item) => [Number(item['id']), parseUser(item)])),
    passkeys: new Map(passkeys?.map((item) => [String(item['credentialId']), item])),
  };
};

/** Whether an answer has the secret with this hash. */
const isShown = (hash: string, answer: string): boolean => (answer.match(/\w{20,}/g) ?? []).some((word) => tokenHash(word) === hash);

/** How what was made is wider than its maker. A renewed token lasts as long as that token did: the maker renews it, and makes none. */
const widened = async (
  { principal, token }: Maker,
  before: Awaited<ReturnType<typeof credentials>>,
  after: Awaited<ReturnType<typeof credentials>>,
  { isRenewal, answer }: { isRenewal: boolean; answer: string },
): Promise<string[]> => {
  const lacks = (wanted: readonly Scope[]): boolean => wanted.some((scope) => !principal.scopes.includes(scope));
  const isFree = (of: readonly string[] | undefined): boolean =>
    principal.networks !== undefined && (!of || of.some((network) => !isWithinNetworks(network, principal.networks ?? [])));
  const found: string[] = [];
  for (const [hash, made] of after.secrets) {
    if (before.secrets.has(hash) || made.status !== 'active') continue;
    // what a number or an app is connected with goes to the provider, and its caller is not shown it
    const isOfProvider = made.subject === 'messaging' || made.subject?.startsWith('app:') === true;
    if (made.credentialKind === 'webhook_token' && isOfProvider && !isShown(hash, answer)) continue;
    if (made.companyId !== fixture.company.id) found.push('company');
    if (isFree(made.networks)) found.push('networks');
    if (lacks(made.scopes)) found.push('scopes');
    const isOfUser = made.credentialKind === 'token' || made.credentialKind === 'session';
    if (isOfUser && !isRenewal && (made.expiresAt ?? Infinity) > (principal.expiresAt ?? Infinity)) found.push('expiry');
  }
  for (const [id, user] of after.users) {
    const former = before.users.get(id);
    if (former?.role === user.role && former.status === user.status) continue;
    if (lacks(roleScopes[user.role]) || principal.networks !== undefined) found.push('user');
  }
  for (const [id, passkey] of after.passkeys)
    if (!before.passkeys.has(id) && passkey['tokenHash'] !== tokenHash(token)) found.push('passkey');
  return found;
};

test('every kind of what is made is made by an operation', () => {
  const kinds = new Set(allRoutes.flatMap(({ route }) => route.makes ?? []));
  expect(madeKinds.filter((kind) => !kinds.has(kind))).toEqual([]);
});

test('what makes credentials, users, numbers and endpoints asks in a session for a fresh proof, and nothing else does', () => {
  const fresh = allRoutes.filter(({ route }) => route.freshProof).map(({ name }) => name);
  const makes = making.filter(({ route }) => route.makes !== 'upload').map(({ name }) => name);
  // the connection of a store has signed its merchant in already, and a signup was begun with a proof by the same user (docs/decisions/signups.md)
  const proven = ['claimConnection', 'completeSignup'];
  const begins = ['createPasskeyOptions', 'createSignup'];
  expect(fresh.toSorted()).toEqual([...makes.filter((name) => !proven.includes(name)), ...begins].toSorted());
});

const rows = making.map((each) => [each.name, each] as const);

test.each(rows)(
  '%s makes nothing that is wider than a token or a session, in scopes, role, networks, life or company',
  async (name, named) => {
    let made = 0;
    for (const [held, within] of [
      [scopeOf(named), undefined],
      [scopes, networks],
      [scopes, undefined],
    ] as const)
      for (const maker of await makersOf(held, within)) {
        const call = maker.as(await fixture.goodCall(named, { token: maker.token }));
        const before = await credentials();
        const answer = await fixture.testApp.call({ ...call, sourceIp: inside });
        const after = await credentials();
        const about = `${name} by ${maker.name} with ${held.length} scopes ${within ? 'and networks' : ''}`;
        expect([about, await widened(maker, before, after, { isRenewal: name.startsWith('rotate'), answer: answer.raw })]).toEqual([
          about,
          [],
        ]);
        if (answer.status < 300) made++;
        else expect([about, ['insufficient_scope', 'ip_not_allowed']]).toEqual([about, expect.arrayContaining([codeOf(answer)])]);
      }
    // refused to all of them, it would show nothing
    expect([name, made > 0]).toEqual([name, true]);
  },
);

test.each(rows)('%s is refused to what is no user: an ERP token, a receiver, a key', async (name, named) => {
  const call = await fixture.goodCall(named);
  for (const kind of ['erp_token', 'webhook_token', 'public_key', 'secret_key'] as const) {
    const secret = await credential({ kind, companyId: fixture.company.id, scopes: [...scopes] });
    // sixty refusals of an address are too many
    fixture.testApp.clock.advance(60_000);
    const answer = await fixture.testApp.call({ ...call, token: secret });
    expect([name, kind, answer.status]).toEqual([name, kind, 401]);
  }
});
