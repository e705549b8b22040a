import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { startSession } from '../../functions/account/service/sessions.ts';
import { issueToken, revokeCompanyToken, rotateCompanyToken } from '../../functions/account/service/tokens.ts';
import { createUser, updateUser } from '../../functions/account/service/users.ts';
import { createPasskeyItem } from '../../functions/sessions/store/passkey.ts';
import { type Asserted, type Authenticator, authenticator } from '../support/authenticator.ts';
import { newCompany, type TestCompany, unwrap } from '../support/company.ts';
import { type Answer, type Call, ofOwnPage, withSession } from '../support/gateway-event.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Passkeys: who has the device signs in, and no one else, however a signature was come by. */
let testApp: TestApp;
let company: TestCompany;
let other: TestCompany;
beforeAll(async () => {
  testApp = await startTestApp();
  company = await newCompany();
  other = await newCompany();
});
afterAll(() => testApp.stop());

const codeOf = ({ status, body }: Answer) => [status, (body as { code?: string }).code];
const secretIn = ({ headers }: Answer): string => /^__Host-swb_session=([^;]*);/.exec(headers['set-cookie'] ?? '')?.[1] ?? '';
const publicKeyIn = ({ body }: Answer) =>
  z.object({ data: z.object({ public_key: z.record(z.string(), z.unknown()) }) }).parse(body).data.public_key;
const me: Call = { method: 'GET', path: '/api/v1/me' };

let addresses = 0;
const newAddress = (): string => `198.18.11.${++addresses}`;
const path = '/api/v1/passkeys';

/** A session in which the user proved to be there. */
const sessionOf = async ({ id: companyId }: TestCompany, userId: number): Promise<string> =>
  unwrap(await startSession({ companyId, userId, name: 'Firefox on Linux', signedInBy: 'email_code' })).secret;
const newUser = async (of: TestCompany, name: string): Promise<number> =>
  unwrap(await createUser(of.id, { name, email: `${name.toLowerCase()}@example.com`, role: 'member' })).id;

const beginning = async (secret: string) =>
  publicKeyIn(await testApp.call(withSession({ method: 'POST', path: `${path}/options` }, secret)));
const adding = (secret: string, credential: object, name?: string): Promise<Answer> =>
  testApp.call(withSession({ method: 'POST', path, body: { credential, ...(name === undefined ? {} : { name }) } }, secret));
const add = async (secret: string, device: Authenticator): Promise<number> => {
  const added = await adding(secret, device.create(await beginning(secret)));
  expect(added.status, added.raw).toBe(200);
  return (added.body as { data: { id: number } }).data.id;
};
const challenge = async () =>
  publicKeyIn(await testApp.call({ method: 'POST', path: `${path}/sign-in/options`, headers: ofOwnPage, sourceIp: newAddress() }));
const signIn = (credential: Asserted, headers: Record<string, string> = ofOwnPage): Promise<Answer> =>
  testApp.call({ method: 'POST', path: `${path}/sign-in`, headers, body: { credential }, sourceIp: newAddress() });
const refused = [401, 'passkey_invalid'];

describe('a passkey', () => {
  test('is added in a session and signs its user in, in the company where it was added, with nothing typed', async () => {
    const userId = await newUser(company, 'Kim');
    const session = await sessionOf(company, userId);
    const device = authenticator();
    const options = await beginning(session);
    expect(options).toMatchObject({
      rp: { id: 'api.example.test' },
      user: { name: 'kim@example.com' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const added = await adding(session, device.create(options), 'My phone');
    expect(added.body).toMatchObject({ data: { name: 'My phone', last_used_at: null } });
    const answer = await signIn(device.get(await challenge()));
    expect(answer.body).toMatchObject({
      data: { signed_in_by: 'passkey', user: { id: userId, role: 'member' }, company: { id: company.id } },
    });
    const secret = secretIn(answer);
    expect(answer.raw).not.toContain(secret);
    expect((await testApp.call(withSession(me, secret))).status).toBe(200);
    const listed = await testApp.call(withSession({ method: 'GET', path }, secret));
    expect(listed.body).toMatchObject({ data: [{ name: 'My phone', last_used_at: expect.stringMatching(/Z$/) }] });
    // a device with a passkey is not offered to make another
    expect((await beginning(secret))['excludeCredentials']).toMatchObject([{ id: device.get({ rpId: '' }).id }]);
  });

  test('is seen and removed by its user alone, signs in no more at once, and leaves entries in the audit trail', async () => {
    const session = await sessionOf(company, await newUser(company, 'Lou'));
    const device = authenticator();
    const id = await add(session, device);
    const remove: Call = { method: 'DELETE', path: `${path}/${id}` };
    for (const token of [company.tokens.owner, other.tokens.owner]) {
      expect(codeOf(await testApp.call({ ...remove, token }))).toEqual([404, 'not_found']);
      expect((await testApp.call({ method: 'GET', path, token })).body).toMatchObject({ data: [] });
    }
    expect((await signIn(device.get(await challenge()))).status).toBe(200);
    expect((await testApp.call(withSession(remove, session))).status).toBe(200);
    expect(codeOf(await signIn(device.get(await challenge())))).toEqual(refused);
    expect(codeOf(await testApp.call(withSession(remove, session)))).toEqual([404, 'not_found']);
    await testApp.drain();
    const audit = await testApp.call({ method: 'GET', path: '/api/v1/audit?limit=100', token: company.tokens.owner });
    const entries = (audit.body as { data: { action: string; target: { kind: string; id: string } }[] }).data;
    expect(entries.filter(({ target }) => target.kind === 'passkey' && target.id === String(id))).toMatchObject([
      { action: 'passkey.updated', changes: { status: { from: 'active', to: 'revoked' } } },
      { action: 'passkey.created' },
    ]);
  });

  test('of a name that is not ours is neither offered nor added, whatever X-Viewer-Host says', async () => {
    const session = await sessionOf(company, await newUser(company, 'Ren'));
    const relayed = { ...ofOwnPage, origin: 'https://evil.example', 'x-viewer-host': 'evil.example' };
    const call = withSession({ method: 'POST', path: `${path}/options` }, session);
    const answer = await testApp.call({ ...call, headers: { ...call.headers, ...relayed } });
    expect(codeOf(answer)).toEqual([403, 'cross_origin_request']);
    const ours = await testApp.call({ ...call, headers: { ...call.headers, 'x-viewer-host': 'evil.example' } });
    expect(publicKeyIn(ours)).toMatchObject({ rp: { id: 'api.example.test' } });
  });

  test('of a user who is deactivated signs in no more, also after the user is active again', async () => {
    const userId = await newUser(company, 'Max');
    const device = authenticator();
    await add(await sessionOf(company, userId), device);
    for (const status of ['inactive', 'active'] as const) {
      unwrap(await updateUser(company.id, userId, { status }));
      expect(codeOf(await signIn(device.get(await challenge())))).toEqual(refused);
    }
  });

  test('has what the token has with which it was added, and ends with it: revoked, or rotated without overlap', async () => {
    const userId = await newUser(company, 'Nia');
    const token = unwrap(await issueToken(company.id, { user_id: userId, scopes: ['profile:read'], life_days: 1 }));
    const begun = await testApp.call({ method: 'POST', path: `${path}/options`, token: token.secret });
    const device = authenticator();
    const body = { credential: device.create(publicKeyIn(begun)) };
    expect((await testApp.call({ method: 'POST', path, token: token.secret, body })).status).toBe(200);
    const narrow = await signIn(device.get(await challenge()));
    expect(narrow.body).toMatchObject({ data: { scopes: ['profile:read'] } });
    // added in that session, it is bound to the same token
    const second = authenticator();
    await add(secretIn(narrow), second);
    expect((await signIn(second.get(await challenge()))).body).toMatchObject({ data: { scopes: ['profile:read'] } });
    unwrap(await rotateCompanyToken(company.id, token.token.id, 0));
    for (const each of [device, second]) expect(codeOf(await signIn(each.get(await challenge())))).toEqual(refused);

    const full = unwrap(await issueToken(company.id, { user_id: userId }));
    const third = authenticator();
    const options = publicKeyIn(await testApp.call({ method: 'POST', path: `${path}/options`, token: full.secret }));
    await testApp.call({ method: 'POST', path, token: full.secret, body: { credential: third.create(options) } });
    const session = secretIn(await signIn(third.get(await challenge())));
    unwrap(await revokeCompanyToken(company.id, full.token.id));
    expect(codeOf(await testApp.call(withSession(me, session)))).toEqual([401, 'token_revoked']);
    expect(codeOf(await signIn(third.get(await challenge())))).toEqual(refused);
  });

  test('is one of at most ten of a user', async () => {
    const session = await sessionOf(company, await newUser(company, 'Ola'));
    for (let nth = 0; nth < 10; nth++) await add(session, authenticator());
    const eleventh = await testApp.call(withSession({ method: 'POST', path: `${path}/options` }, session));
    expect(codeOf(eleventh)).toEqual([403, 'plan_limit_reached']);
  });

  test('is not added and removed without end: those of a day are kept, and a list reads them all', async () => {
    const userId = await newUser(company, 'Rene');
    const session = await sessionOf(company, userId);
    const device = authenticator();
    const begun = await beginning(session);
    const removed = { companyId: company.id, userId, name: 'Removed', publicKey: '', counter: 0, status: 'revoked', createdAt: 1 } as const;
    for (let id = 1_001; id <= 1_100; id++) await createPasskeyItem({ ...removed, id, credentialId: `removed-${id}` });
    const answers = [
      await adding(session, device.create(begun)),
      await testApp.call(withSession({ method: 'POST', path: `${path}/options` }, session)),
    ];
    expect(answers.map(codeOf)).toEqual(answers.map(() => [403, 'plan_limit_reached']));
  });
});

describe('a signature', () => {
  let device: Authenticator;
  let session: string;
  let userId: number;
  beforeAll(async () => {
    userId = await newUser(company, 'Pat');
    session = await sessionOf(company, userId);
    device = authenticator();
    await add(session, device);
  });

  test('counts once: of a challenge that was answered, or is older than five minutes, or was never given, it is refused', async () => {
    const once = device.get(await challenge());
    expect((await signIn(once)).status).toBe(200);
    expect(codeOf(await signIn(once))).toEqual(refused);
    const late = device.get(await challenge());
    testApp.clock.advance(5 * 60_000 + 1);
    expect(codeOf(await signIn(late))).toEqual(refused);
    expect(codeOf(await signIn(device.get({ rpId: 'api.example.test', challenge: 'bWFkZSB1cA' })))).toEqual(refused);
    // the challenge of a registration is none for a sign-in
    const { challenge: forAdding } = await beginning(session);
    expect(codeOf(await signIn(device.get({ rpId: 'api.example.test', challenge: forAdding })))).toEqual(refused);
  });

  test('made for another page or another name, or without its user verified, is refused and uses up the challenge', async () => {
    const wrong = [{ origin: 'https://api.example.test.evil.test' }, { rpId: 'evil.test' }, { userVerified: false }];
    for (const more of wrong) {
      const options = await challenge();
      expect(codeOf(await signIn(device.get(options, more))), JSON.stringify(more)).toEqual(refused);
      expect(codeOf(await signIn(device.get(options))), JSON.stringify(more)).toEqual(refused);
    }
  });

  test('whose count goes back or stands still is refused: the device may have been copied', async () => {
    const copied = authenticator();
    await add(session, copied);
    expect((await signIn(copied.get(await challenge(), { counter: 7 }))).status).toBe(200);
    expect(codeOf(await signIn(copied.get(await challenge(), { counter: 7 })))).toEqual(refused);
    expect(codeOf(await signIn(copied.get(await challenge(), { counter: 3 })))).toEqual(refused);
    expect((await signIn(copied.get(await challenge(), { counter: 8 }))).status).toBe(200);
  });

  test('in the name of another user or company, or by another key, is refused, and looks as one of no passkey at all', async () => {
    const handle = (companyId: number, user: number): string => Buffer.from(`${companyId}.${user}`).toString('base64url');
    const answers = [
      await signIn(device.get(await challenge(), { userHandle: handle(company.id, company.users.owner) })),
      await signIn(device.get(await challenge(), { userHandle: handle(other.id, userId) })),
      await signIn(device.get(await challenge(), { userHandle: 'bm90IG91cnM' })),
      await signIn({ ...authenticator().get(await challenge(), { userHandle: handle(company.id, userId) }), id: device.get({}).id }),
      await signIn(authenticator().get(await challenge(), { userHandle: handle(company.id, userId) })),
    ];
    const shapes = answers.map(({ status, raw, headers }) => [status, raw.replace(/req_\w+/g, ''), headers['set-cookie']]);
    expect(new Set(shapes.map((shape) => JSON.stringify(shape))).size).toBe(1);
    expect(answers.map(codeOf)[0]).toEqual(refused);
  });

  test('adds a passkey for the user alone who began it, once, from our own page', async () => {
    const ofOwner = await beginning(await sessionOf(company, company.users.owner));
    const invalid = [422, 'validation_failed'];
    expect(codeOf(await adding(session, authenticator().create(ofOwner)))).toEqual(invalid);
    const options = await beginning(session);
    expect(codeOf(await adding(session, authenticator().create(options, { origin: 'https://evil.test' })))).toEqual(invalid);
    expect(codeOf(await adding(session, authenticator().create(options)))).toEqual(invalid);
    for (const more of [{ userVerified: false }, { rpId: 'evil.test' }]) {
      const answer = await adding(session, authenticator().create(await beginning(session), more));
      expect([codeOf(answer), answer.body]).toMatchObject([invalid, { errors: { credential: [expect.stringContaining('begin again')] } }]);
    }
  });

  test('is taken from our own pages alone, and what begins it names no user', async () => {
    const { origin: _origin, 'sec-fetch-site': _site, ...foreign } = ofOwnPage;
    expect(codeOf(await signIn(device.get(await challenge()), { ...foreign, origin: 'https://evil.test' }))).toEqual([
      403,
      'cross_origin_request',
    ]);
    const options = await challenge();
    expect(options['allowCredentials'] ?? []).toEqual([]);
    expect(options).toMatchObject({ rpId: 'api.example.test', userVerification: 'required' });
  });
});
