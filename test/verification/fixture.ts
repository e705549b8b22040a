import { createProfile, issueKey } from '../../functions/account/service/verification-profiles.ts';
import { unwrap, newCompany, type TestCompany } from '../support/company.ts';
import type { Role } from '../../shared/contract/route.ts';
import type { Answer } from '../support/gateway-event.ts';
import { startProviderStub } from '../support/provider-stub.ts';
import { startTestApp, type TestAppOptions } from '../support/test-app.ts';

export interface Caller {
  company: TestCompany;
  profileId: string;
  publicKey: string;
  secretKey: string;
  post: (path: string, body: unknown, more?: { headers?: Record<string, string>; ip?: string }) => Promise<Answer>;
  get: (path: string, more?: { headers?: Record<string, string>; ip?: string }) => Promise<Answer>;
}

/** The product with a provider that takes every message, and companies with a profile and a key. */
export const startFixture = async (options: TestAppOptions = {}) => {
  const provider = await startProviderStub();
  const env = { PROVIDER_BASE_URL: provider.url, EMAIL_FROM: 'no-reply@example.com', ...options.env };
  const testApp = await startTestApp({ ...options, env });
  let people = 0;
  let addresses = 0;
  /** Of its company there is the owner, and who else is named. */
  const newCaller = async (settings: Record<string, unknown> = {}, others: readonly Role[] = []): Promise<Caller> => {
    const company = await newCompany({ roles: ['owner', ...others] });
    const profile = unwrap(await createProfile(company.id, { name: 'Sign-in', settings_json: settings }));
    const pair = unwrap(await issueKey(company.id, profile.id, {}));
    const sourceIp = `192.0.2.${++addresses}`;
    const headers = { 'x-public-key': pair.public_key };
    const call = (method: string, path: string, body: unknown, more: { headers?: Record<string, string>; ip?: string } = {}) =>
      testApp.call({
        method,
        path: `/api/v1/verification${path}`,
        headers: more.headers ?? headers,
        sourceIp: more.ip ?? sourceIp,
        ...(body === undefined ? {} : { body }),
      });
    return {
      company,
      profileId: profile.id,
      publicKey: pair.public_key,
      secretKey: pair.secret_key,
      post: (path, body, more) => call('POST', path, body, more),
      get: (path, more) => call('GET', path, undefined, more),
    };
  };
  return {
    testApp,
    provider,
    newCaller,
    /** An address of which no process holds a lease. */
    newAddress: () => `198.51.100.${++addresses}`,
    /** Each under a prefix of its own: the breaker counts by prefix. */
    newPhone: () => `+49151${String(++people).padStart(4, '0')}0001`,
    /** The code of the last message that went to a customer, by whichever channel. */
    codeFor: async (identifier: string): Promise<string> => {
      await testApp.drain();
      const message = provider.requests.findLast(({ body }) => body['to'] === identifier);
      const mail = testApp.emails.findLast((each) => JSON.stringify(each).includes(identifier));
      const text = message ? JSON.stringify(message.body) : JSON.stringify(mail);
      const code = message ? /"text":"([0-9A-Z]{4,10})"/.exec(text)?.[1] : /"Data":"([0-9A-Z]{4,10}) is your/.exec(text)?.[1];
      if (code === undefined) throw new Error(`No code went to ${identifier}.`);
      return code;
    },
    [Symbol.asyncDispose]: async () => {
      await testApp.stop();
      await provider.stop();
    },
  };
};
export type Fixture = Awaited<ReturnType<typeof startFixture>>;

/** A code of the same length that is not the right one. */
export const wrongFor = (code: string): string => code.replace(/.$/, (last) => (last === '0' ? '1' : '0'));

export const field = (answer: Answer, name: string): unknown => (answer.body as Record<string, unknown> | undefined)?.[name];

/** The company's own operations, by its owner. */
export type Admin = (method: string, path: string, body?: Record<string, unknown>) => Promise<Answer>;
export const adminOf =
  ({ testApp }: Fixture, { company }: Caller): Admin =>
  (method, path, body) =>
    testApp.call({ method, path: `/api/v1/verification/admin${path}`, token: company.tokens.owner, ...(body ? { body } : {}) });
