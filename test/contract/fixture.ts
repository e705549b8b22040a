import { expect } from 'vitest';
import * as z from 'zod';
import { problemBodies } from '../../shared/contract/envelope.ts';
import { type ProblemCode, problems } from '../../shared/contract/problems.ts';
import { contentTypesOf, limits, problemsOf, type RouteSpec, roles } from '../../shared/contract/route.ts';
import { app } from '../../functions/app.ts';
import { issueErpToken } from '../../functions/account/service/machine-tokens.ts';
import { unwrap, inboundText, newCompany, providerPost, type TestCompany } from '../support/company.ts';
import { type Answer, type Call, filledPath } from '../support/gateway-event.ts';
import { refusalByDocument } from '../support/document-schemas.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { isFullSize } from '../support/run-size.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/test-app.ts';
import { type Example, examples } from './examples.ts';

export interface NamedRoute {
  name: string;
  route: RouteSpec;
  /** Of the function that answers it. */
  functionName: string;
}

/** Every route of the product: what the generated tests are generated from. */
export const allRoutes: readonly NamedRoute[] = app
  .flatMap((context) => context.functions)
  .flatMap((each) =>
    each.trigger === 'http' ? Object.entries(each.routes).map(([name, route]) => ({ name, route, functionName: each.name })) : [],
  );

/** `METHOD /path` with the route, as rows of `describe.each`. */
export const rowsOf = (routes: readonly NamedRoute[]): [string, NamedRoute][] =>
  routes.map((each) => [`${each.route.method} ${each.route.path}`, each]);

/** Three of the routes, far apart: where a test shows all that a shared part of the HTTP stack does. */
export const sampleOf = (routes: readonly NamedRoute[]): readonly NamedRoute[] =>
  [0, Math.floor(routes.length / 2), routes.length - 1].flatMap((at) => routes[at] ?? []);

/**
 * Where a test shows what the HTTP stack does for every route: in the quick suite at one route of each function and kind of caller, because a
 * function answers all its routes by one stack (test/wiring/http-stack.test.ts); at full size at every route.
 */
export const whereShared = (routes: readonly NamedRoute[], isFull = isFullSize()): readonly NamedRoute[] =>
  isFull
    ? routes
    : [...Map.groupBy(routes, ({ functionName, route }) => `${functionName} ${route.caller.kind}`).values()].flatMap(
        ([first]) => first ?? [],
      );

/** A test app with two companies, the first of them with a contact and a conversation. */
export interface ContractFixture extends AsyncDisposable {
  testApp: TestApp;
  provider: ProviderStub;
  company: TestCompany;
  other: TestCompany;
  erpToken: string;
  /** Of the call that an example is for. */
  callerToken?: string | undefined;
  contactId: number;
  conversationId: number;
  newContact: (phone: string) => Promise<number>;
  signed: (body: unknown) => { body: string; headers: Record<string, string> };
  /** A good request of the route, by the first company's owner unless given otherwise: its example, or another. */
  goodCall: (named: NamedRoute, as?: { token?: string | undefined; example?: (typeof examples)[string] | undefined }) => Promise<Call>;
  /** As `goodCall`, and the same one each time, but for the token: to be refused, so that it is good ever after. */
  callToRefuse: (named: NamedRoute, as?: { token?: string | undefined }) => Promise<Call>;
  /** Calls, and holds the answer against the route's contract. */
  call: (named: NamedRoute, call: Call) => Promise<Answer>;
}

export const startFixture = async ({ env, ...options }: Pick<TestAppOptions, 'env' | 'shards'> = {}): Promise<ContractFixture> => {
  const provider = await startProviderStub();
  const testApp = await startTestApp({ ...options, env: { PROVIDER_BASE_URL: provider.url, ...env } });
  const company = await newCompany({ roles });
  const other = await newCompany({ roles });
  const from = '4915112345678';
  await testApp.call(inboundText(company, { from, text: 'Hello' }));
  await testApp.drain();
  const token = company.tokens.owner;
  const erpToken = unwrap(await issueErpToken(company.id, {})).secret;
  const newContact = async (phone: string): Promise<number> =>
    idIn(await testApp.call({ method: 'POST', path: '/api/v1/contacts', token, body: { phone } }));
  const contactId = await newContact(`+${from}`);
  const listed = await testApp.call({ method: 'GET', path: '/api/v1/conversations', token });
  const conversationId = z.object({ data: z.array(z.object({ id: z.int() })).min(1) }).parse(listed.body).data[0]?.id ?? 0;
  const made: Record<string, Promise<Call>> = {};
  const fixture: ContractFixture = {
    erpToken,
    testApp: testApp,
    provider,
    company,
    other,
    contactId,
    conversationId,
    newContact,
    signed: (body) => {
      const post = providerPost(company, body);
      return { body: String(post.body), headers: { ...post.headers } };
    },
    goodCall: async ({ name, route }, as = {}) => {
      // hundreds of calls by one user: spread over time, as the limits want
      testApp.clock.advance(2_500);
      const example = as.example ?? examples[name];
      if (!example)
        throw new Error(`The route ${name} has no example: add one to test/contract/examples.ts, and all contract tests hold for it.`);
      fixture.callerToken = 'token' in as ? as.token : token;
      const given = await example(fixture);
      const own = given.token ?? (isErpByHeader(route) ? erpToken : token);
      return callOf(route, given, 'token' in as ? as.token : own);
    },
    callToRefuse: async (named, as = {}) => {
      testApp.clock.advance(2_500);
      const call = await (made[named.name] ??= fixture.goodCall(named));
      if (!('token' in as)) return call;
      const { token: _owner, ...rest } = call;
      return as.token === undefined ? rest : { ...rest, token: as.token };
    },
    call: async (named, call) => {
      const answer = await testApp.call(call);
      expectContract(named, call, answer);
      return answer;
    },
    [Symbol.asyncDispose]: async () => {
      await testApp.stop();
      await provider.stop();
    },
  };
  return fixture;
};

/** The same request once more where it changed nothing: making what a good one needs costs as much as the request. */
export const usableAfter = (
  fixture: ContractFixture,
  named: NamedRoute,
  { call, answer }: { call: Call; answer: Answer },
): (() => Promise<Call>) => {
  if (named.route.effect === 'write' && answer.status < 400) return () => fixture.goodCall(named);
  fixture.testApp.clock.advance(10_000); // the tightest limit of a route is 10 a minute, and the good requests made meanwhile count too
  return () => Promise.resolve(call);
};

export const codeOf = (answer: Answer): string | undefined => (answer.body as { code?: string } | undefined)?.code;

/** The window field of a limit, filled to its end: the next call is one too many. */
export const fullWindow = (limit: keyof typeof limits): number => limits[limit].perMinute;

/** The body without what names the request: two answers that must not distinguish two cases are compared by it. */
export const bodyWithoutRequest = (answer: Answer): string => answer.raw.replace(/req_[0-9A-Z]{26}/g, 'req_');

/** The ERP's token comes as a bearer, but where the address carries it. */
export const isErpByHeader = ({ caller, path }: RouteSpec): boolean => caller.kind === 'erp_token' && !path.includes('{erp_token}');

function callOf(route: RouteSpec, example: Example, token: string | undefined): Call {
  return {
    method: route.method,
    path: filledPath(route.path, example.params ?? {}),
    ...(example.query ? { query: example.query } : {}),
    ...(example.body ? { body: example.body } : {}),
    ...(example.raw ? { body: example.raw.body } : {}),
    headers: { ...example.headers, ...example.raw?.headers },
    ...((route.caller.kind === 'token' || isErpByHeader(route)) && token !== undefined ? { token } : {}),
  };
}

/** What every answer of a route must hold, whatever was requested: declared status and body, declared code, the headers of every answer. */
export function expectContract({ name, route }: NamedRoute, call: Call, answer: Answer): void {
  const about = `${name}: ${call.method} ${call.path} answered ${answer.status} ${answer.raw.slice(0, 300)}`;
  expect(answer.status, about).toBeLessThan(500);
  expect(answer.headers['x-request-id'], about).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(answer.headers['x-api-version'], about).toBe('1.0');
  const isPublic = route.caller.kind === 'public' && answer.status < 300 && (answer.headers['cache-control'] ?? '').startsWith('public, ');
  if (!isPublic) expect(answer.headers['cache-control'], about).toBe('no-store');
  if (route.deprecated) expect(answer.headers, about).toMatchObject({ deprecation: expect.any(String), sunset: expect.any(String) });
  if (answer.status < 400) expectDeclaredBody(route, call, answer, about);
  else expectDeclaredProblem(route, call, answer, about);
  const isJson = call.method !== 'HEAD' && answer.headers['content-type'] === 'application/json';
  if (isJson) expect(refusalByDocument(name, answer.status, answer.body), about).toBeUndefined();
}

function expectDeclaredBody(route: RouteSpec, call: Call, answer: Answer, about: string): void {
  expect(answer.headers, about).toMatchObject({
    'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
    'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
    'x-ratelimit-reset': expect.stringMatching(/^\d{10}$/),
  });
  const schema = route.answers[answer.status];
  expect(schema, `${about}: not a declared status`).toBeDefined();
  if (!schema || call.method === 'HEAD') return;
  if (schema instanceof z.ZodUndefined) {
    expect(answer.raw, about).toBe('');
    return;
  }
  expect(contentTypesOf(route), about).toContain(answer.headers['content-type']);
  const { warnings, ...declared } = (answer.body ?? {}) as { warnings?: string[] };
  // beside what the route declares, any envelope names the fields that were left out
  // a field may have an empty name
  if (warnings) expect(answer.headers['x-unknown-fields'], about).toBeDefined();
  const body = schema instanceof z.ZodString ? answer.raw : warnings ? declared : answer.body;
  const parsed = schema.safeParse(body);
  expect(parsed.error, about).toBeUndefined();
  // parsing leaves undeclared fields out: what comes back must be all that was there
  expect(parsed.data, `${about}: has fields that the contract does not declare`).toEqual(body);
}

const strictProblems = {
  standard: z.strictObject(problemBodies.standard.shape),
  verification: z.strictObject(problemBodies.verification.shape),
  erp: z.strictObject(problemBodies.erp.shape),
};

function expectDeclaredProblem(route: RouteSpec, call: Call, answer: Answer, about: string): void {
  if (call.method === 'HEAD') return;
  expect(answer.headers['content-type'], about).toBe('application/json');
  const code = codeOf(answer) as ProblemCode;
  const body = strictProblems[route.problemFormat ?? 'standard'].safeParse(answer.body);
  expect(body.error, about).toBeUndefined();
  if (body.data) expect('trace_id' in body.data ? body.data.trace_id : body.data.request_id, about).toBe(answer.headers['x-request-id']);
  expect(problems[code]?.status, about).toBe(answer.status);
  expect(problemsOf(route), `${about}: a code that the route does not declare`).toContain(code);
  if (answer.status === 429 || answer.status === 503) expect(answer.headers['retry-after'], about).toMatch(/^[1-9]\d*$/);
  if (answer.status === 401) expect(answer.headers['www-authenticate'], about).toBe('Bearer');
  if (code === 'validation_failed') expect(Object.keys(fieldsIn(answer)).length, about).toBeGreaterThan(0);
}

function idIn(answer: Answer): number {
  return z.object({ data: z.object({ id: z.int() }) }).parse(answer.body).data.id;
}

/** The refused fields; the verification document calls them details (3§7). */
export function fieldsIn({ body }: Answer): Record<string, string[]> {
  const { errors, details } = body as { errors?: Record<string, string[]>; details?: Record<string, string[]> };
  return errors ?? details ?? {};
}
