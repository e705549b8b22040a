import { logRequest } from '../../shared/access/logged-request.ts';
import { ulid } from '../../shared/runtime/ids.ts';
import { issueErpToken } from '../../functions/account/service/machine-tokens.ts';
import { addNumber } from '../../functions/account/service/numbers.ts';
import { createCompanyApp, deleteApp, listApps } from '../../functions/account/service/company-apps.ts';
import { addProviderApp, getSharedApp, setProviderAppSignup } from '../../functions/account/service/provider-apps.ts';
import { issueToken, listCompanyTokens, revokeCompanyToken } from '../../functions/account/service/tokens.ts';
import { credentialEntity } from '../../shared/access/credential.ts';
import { tokenHash } from '../../shared/access/token.ts';
import { startSession } from '../../functions/account/service/sessions.ts';
import { createSignup, nextSignupId } from '../../functions/administration/service/signups.ts';
import { createUser } from '../../functions/account/service/users.ts';
import { createPasskey, createPasskeyOptions, createPasskeySignIn } from '../../functions/sessions/service/passkeys.ts';
import { listPasskeysOfUser, revokePasskeyItem } from '../../functions/sessions/store/passkey.ts';
import type { Principal } from '../../shared/contract/route.ts';
import { type Authenticator, authenticator } from '../support/authenticator.ts';
import { unwrap } from '../support/company.ts';
import { secretOfApp, signupAppId } from '../support/provider-stub.ts';
import { ofOwnPage } from '../support/gateway-event.ts';
import type { Example } from './examples.ts';
import type { ContractFixture } from './fixture.ts';

let users = 0;
const newEmail = (): string => `colleague-${++users}@example.com`;
export const newUser = async ({ company }: ContractFixture): Promise<number> =>
  unwrap(await createUser(company.id, { name: 'A colleague', email: newEmail(), role: 'member' })).id;

/** A token of the calling user, with no more than the call needs: only its user and an owner may rotate or revoke it. */
export const newToken = async ({ company, callerToken }: ContractFixture): Promise<number> => {
  const caller = callerToken === undefined ? undefined : await credentialEntity.get({ hash: tokenHash(callerToken) });
  const userId = caller?.companyId === company.id && caller.userId > 0 ? caller.userId : company.users.owner;
  const { token } = unwrap(await issueToken(company.id, { user_id: userId, scopes: ['tokens:manage'], life_days: 30 }));
  // a user has at most 50 that are valid
  const listed = unwrap(await listCompanyTokens(company.id, userId)).filter(
    ({ name, status, id }) => name === '' && status === 'active' && id < token.id,
  );
  for (const { id } of listed.slice(0, -10)) unwrap(await revokeCompanyToken(company.id, id));
  return token.id;
};
const newMachineToken = async ({ company }: ContractFixture): Promise<number> =>
  unwrap(await issueErpToken(company.id, { shared_secret: 'the-first-secret' })).token.id;

let providerIds = 0;
const numberInput = () => ({
  phone: String(15_560_000_000 + ++providerIds),
  phone_number_id: String(700_000_000 + providerIds),
  waba_id: '800000001',
  access_token: 'the access token of a number',
  app_secret: 'the app secret of a number',
});
/** One more number for each company: every send reads all numbers of its own. */
const secondNumbers = new Map<number, Promise<number>>();
export const secondNumber = ({ company }: ContractFixture): Promise<number> => {
  const made = secondNumbers.get(company.id) ?? addNumber(company.id, numberInput()).then((added) => unwrap(added).number.id);
  secondNumbers.set(company.id, made);
  return made;
};

/** The app with whose dialog numbers are connected. */
const signupApp = async (): Promise<void> => {
  if (await getSharedApp(signupAppId)) return;
  unwrap(await addProviderApp({ app_id: signupAppId, app_secret: 'the secret of the app of signups', name: 'Ours' }));
  unwrap(await setProviderAppSignup({ app_id: signupAppId, configuration_id: '1050000000000002' }));
};
const newSignup = async (fixture: ContractFixture): Promise<{ id: number; state: string }> => {
  await signupApp();
  const caller = await callerOf(fixture);
  const { signup, state } = unwrap(await createSignup(caller, await nextSignupId(caller.companyId)));
  return { id: signup.id, state };
};
const signedUp = async (fixture: ContractFixture): Promise<Example> => {
  const { id, state } = await newSignup(fixture);
  return { params: { id }, body: { state, code: String(10_000_000 + ++providerIds) } };
};

const appInput = () => {
  const app_id = String(1_060_000_000_000_000 + ++providerIds);
  return { app_id, app_secret: secretOfApp(app_id), name: 'Ours' };
};
/** A company has at most 20. */
const withoutOldApps = async ({ company }: ContractFixture): Promise<void> => {
  for (const { app_id } of (await listApps(company.id)).slice(0, -10)) await deleteApp(company.id, app_id, { startedAt: ++providerIds });
};
const newApp = async (fixture: ContractFixture): Promise<string> => {
  await withoutOldApps(fixture);
  return unwrap(await createCompanyApp(fixture.company.id, appInput(), { startedAt: Date.now() })).app_id;
};

/** A session of the calling user. */
const newSession = async (fixture: ContractFixture): Promise<number> =>
  unwrap(await startSession({ ...(await callerOf(fixture)), name: 'Firefox on Linux', signedInBy: 'token' })).session.pointer.id;

/** The calling user, or the owner. */
const callerOf = async ({ company, callerToken }: ContractFixture): Promise<{ companyId: number; userId: number }> => {
  const caller = callerToken === undefined ? undefined : await credentialEntity.get({ hash: tokenHash(callerToken) });
  const userId = caller?.companyId === company.id && caller.userId > 0 ? caller.userId : company.users.owner;
  return { companyId: company.id, userId };
};
export const party = { id: 'api.example.test', origins: ['https://api.example.test'] };
/** What a device of the calling user has made for it. */
const attestedBy = async (fixture: ContractFixture, device: Authenticator) => {
  const caller = await callerOf(fixture);
  // a user has at most ten
  for (const passkey of await listPasskeysOfUser(caller.companyId, caller.userId)) await revokePasskeyItem(passkey, passkey.createdAt);
  const { public_key } = unwrap(await createPasskeyOptions({ ...anyPrincipal, ...caller }, party));
  return device.create(public_key);
};
const newPasskey = async (fixture: ContractFixture, device = authenticator()): Promise<number> => {
  const session = await startSession({ ...(await callerOf(fixture)), name: 'Firefox on Linux', signedInBy: 'email_code' });
  return addPasskey(fixture, device, { credentialKind: 'session', credentialId: unwrap(session).session.pointer.id });
};
/** By the caller's session or token: one that a token added is bound to it. */
export const addPasskey = async (
  fixture: ContractFixture,
  device: Authenticator,
  credential: Pick<Principal, 'credentialKind' | 'credentialId'>,
): Promise<number> => {
  const { id, response } = await attestedBy(fixture, device);
  const input = { credential: { id, response: { ...response } } };
  return unwrap(await createPasskey({ ...anyPrincipal, ...(await callerOf(fixture)), ...credential }, input, party, 'Firefox')).id;
};
const anyPrincipal: Principal = {
  companyId: 0,
  userId: 0,
  credentialId: 0,
  credentialKind: 'session',
  role: 'viewer',
  scopes: [],
  subject: undefined,
  subjectStatus: 'active',
  isTest: false,
};

const newLoggedRequest = async (companyId: number): Promise<string> => {
  const requestId = `req_${ulid(Date.now())}`;
  await logRequest({
    companyId,
    requestId,
    at: Date.now(),
    operation: 'sendText',
    method: 'POST',
    path: '/api/v1/messages/text',
    status: 422,
    code: 'validation_failed',
    fields: ['message'],
    ms: 12,
    credentialId: 1,
    credentialKind: 'token',
    userId: 1,
    ip: '192.0.2.7',
    userAgent: 'shop/2.1',
    sent: '{"phone":"+491512345678"}',
    got: '{"status":"error","code":"validation_failed"}',
  });
  return requestId;
};

/** The account: the company, its users and their tokens. */
export const accountExamples: Readonly<Record<string, (fixture: ContractFixture) => Example | Promise<Example>>> = {
  getCompanySettings: () => ({}),
  updateCompanySettings: () => ({ body: { settings: { task_reminder_minutes: 10 + (++users % 10) } } }),
  getWeeklySummary: () => ({}),
  setWeeklySummary: () => ({ body: { enabled: true, language: 'de' } }),
  listUsers: () => ({}),
  createUser: () => ({ body: { name: 'Grace Hopper', email: newEmail(), role: 'member' } }),
  listTokens: () => ({}),
  createToken: () => ({ body: { name: 'till', scopes: ['tokens:manage'], life_days: 30 } }),
  rotateToken: async (fixture) => ({ params: { id: await newToken(fixture) }, body: { overlap_hours: 1 } }),
  revokeToken: async (fixture) => ({ params: { id: await newToken(fixture) } }),
  createSignInCode: () => ({ headers: ofOwnPage, body: { email: newEmail() } }),
  createSession: ({ company }) => ({ headers: ofOwnPage, body: { token: company.tokens.owner } }),
  getDoorbell: () => ({}),
  listSessions: () => ({}),
  deleteSession: async (fixture) => ({ params: { id: await newSession(fixture) } }),
  signOutEverywhere: async (fixture) => ({
    // of a user of its own: it ends what the others call with
    token: unwrap(await issueToken(fixture.company.id, { user_id: await newUser(fixture) })).secret,
    body: { made_since: '2999-01-01T00:00:00Z' },
  }),
  createPasskeyOptions: () => ({}),
  createPasskey: async (fixture) => ({ body: { name: 'My phone', credential: await attestedBy(fixture, authenticator()) } }),
  listPasskeys: () => ({}),
  deletePasskey: async (fixture) => ({ params: { id: await newPasskey(fixture) } }),
  createPasskeySignIn: () => ({ headers: ofOwnPage }),
  signInWithPasskey: async (fixture) => {
    const device = authenticator();
    await newPasskey(fixture, device);
    return { headers: ofOwnPage, body: { credential: device.get((await createPasskeySignIn(party)).public_key) } };
  },
  listEvents: () => ({ query: { limit: 5 } }),
  listLoggedRequests: () => ({ query: { limit: 5 } }),
  getLoggedRequest: async ({ company }) => ({ params: { request_id: await newLoggedRequest(company.id) } }),
  listMachineTokens: () => ({}),
  createMachineToken: () => ({ body: { kind: 'webhook_token', receiver: 'test', make_shared_secret: true } }),
  updateMachineToken: async (fixture) => ({
    params: { id: await newMachineToken(fixture) },
    body: { shared_secret: 'the-secret-of-a-sender' },
  }),
  rotateMachineToken: async (fixture) => ({ params: { id: await newMachineToken(fixture) }, body: { overlap_hours: 1 } }),
  revokeMachineToken: async (fixture) => ({ params: { id: await newMachineToken(fixture) } }),
  listNumbers: () => ({}),
  addNumber: async () => {
    await signupApp();
    return { body: numberInput() };
  },
  getNumber: async (fixture) => ({ params: { id: await secondNumber(fixture) } }),
  updateNumber: async (fixture) => ({ params: { id: await secondNumber(fixture) }, body: { rate: 10 + (++users % 100) } }),
  rotateNumberSecrets: async (fixture) => ({ params: { id: await secondNumber(fixture) }, body: { access_token: `token ${++users}` } }),
  getNumberProfile: async (fixture) => ({ params: { id: await secondNumber(fixture) } }),
  updateNumberProfile: async (fixture) => ({ params: { id: await secondNumber(fixture) }, body: { about: `Open until ${++users % 24}` } }),
  getNumberUsername: async (fixture) => ({ params: { id: await secondNumber(fixture) } }),
  setNumberUsername: async (fixture) => ({ params: { id: await secondNumber(fixture) }, body: { username: `cedar_${++users}` } }),
  deleteNumberUsername: async (fixture) => ({ params: { id: await secondNumber(fixture) } }),
  getNumberAutomation: async (fixture) => ({ params: { id: await secondNumber(fixture) } }),
  updateNumberAutomation: async (fixture) => ({
    params: { id: await secondNumber(fixture) },
    body: { ice_breakers: [`Open at ${++users % 24}?`], commands: [{ name: 'hours', description: 'When we are open' }] },
  }),
  listNumberLinks: async (fixture) => ({ params: { id: await secondNumber(fixture) } }),
  createNumberLink: async (fixture) => ({
    params: { id: await secondNumber(fixture) },
    body: { message: `Hello ${++users}`, qr_image: 'SVG' },
  }),
  updateNumberLink: async (fixture) => ({
    params: { id: await secondNumber(fixture), code: 'ABCDEFGHIJKLM1' },
    body: { message: `Hello ${++users}` },
  }),
  deleteNumberLink: async (fixture) => ({ params: { id: await secondNumber(fixture), code: 'ABCDEFGHIJKLM1' } }),
  listApps: () => ({}),
  createApp: async (fixture) => {
    await withoutOldApps(fixture);
    return { body: appInput() };
  },
  getApp: async (fixture) => ({ params: { app_id: await newApp(fixture) } }),
  rotateAppSecret: async (fixture) => {
    const app_id = await newApp(fixture);
    return { params: { app_id }, body: { app_secret: `${secretOfApp(app_id)} ${++providerIds}` } };
  },
  deleteApp: async (fixture) => ({ params: { app_id: await newApp(fixture) } }),
  createSignup: async () => {
    await signupApp();
    return {};
  },
  getSignup: async (fixture) => ({ params: { id: (await newSignup(fixture)).id } }),
  completeSignup: signedUp,
  checkNumber: async (fixture) => ({ params: { id: await secondNumber(fixture) } }),
  connectNumber: async (fixture) => ({ params: { id: await secondNumber(fixture) }, body: {} }),
  updateUser: async (fixture) => ({ params: { id: await newUser(fixture) }, body: { name: 'Ada King', role: 'viewer' } }),
};
