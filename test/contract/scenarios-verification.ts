import { scopes } from '../../shared/contract/route.ts';
import { createProfile, issueKey } from '../../functions/account/service/verification-profiles.ts';
import { createWebhook } from '../../functions/webhooks/service/endpoints.ts';
import { endpointEntity } from '../../functions/webhooks/store/endpoint.ts';
import { hourMs } from '../../shared/runtime/clock.ts';
import { ulid } from '../../shared/runtime/ids.ts';
import { newCompany, unwrap } from '../support/company.ts';
import { currentFunction } from '../support/crash-points.ts';
import type { Call } from '../support/gateway-event.ts';
import type { TestApp } from '../support/test-app.ts';
import { keyed } from './examples-verification.ts';
import { listener } from './examples-webhooks.ts';
import { newPhone } from './phones.ts';
import type { Scenario } from './scenarios.ts';

/** Of verifications: two calls at once, and processes that die between the two writes of a request. */
export const verificationScenarios: readonly Scenario[] = [
  twoCallsAtOnce(),
  {
    route: 'requestVerification',
    title: 'beside one whose process died before its budget was written; both expire',
    example: async (fixture) => {
      const { headers } = await keyed(fixture);
      await dyingRequest(fixture.testApp, headers, 'UpdateItem');
      return { headers, body: { identifier: newPhone() } };
    },
    next: async ({ testApp }) => void (await testApp.drain({ retry: false, including: 'delayed', until: testApp.clock.now() + hourMs })),
  },
  {
    route: 'requestVerification',
    title: 'followed by one whose process died before its row was written, of which an endpoint wants to know',
    example: async (fixture) => ({ ...(await keyed(fixture)), body: { identifier: newPhone() } }),
    next: async ({ testApp }) => {
      await dyingRequest(testApp, { 'x-public-key': await keyOfListener() }, 'PutItem');
      await testApp.drain({ retry: false });
    },
    repeatable: 'another process dies each time',
  },
];

/** For one identifier by one key: the first to come writes the budget, and the other finds it changed. */
function twoCallsAtOnce(): Scenario {
  let competing: Disposable | undefined;
  return {
    route: 'requestVerification',
    title: 'while another call for the same identifier is made',
    example: async (fixture) => {
      const { testApp } = fixture;
      const { headers } = await keyed(fixture);
      const body = { identifier: newPhone() };
      let hasCompeted = false;
      competing?.[Symbol.dispose]();
      competing = testApp.onTable(async ({ command, when, input }) => {
        if (hasCompeted || when !== 'before' || !isOfRequest(command, input, 'UpdateItem')) return;
        hasCompeted = true;
        await testApp.call(requestCall(headers, body));
      });
      return { headers, body };
    },
    next: async () => competing?.[Symbol.dispose](),
    repeatable: 'the process may die in either call',
  };
}

const requestCall = (headers: Call['headers'], body: Record<string, unknown>): Call => ({
  method: 'POST',
  path: '/api/v1/verification/request',
  headers: { ...headers },
  body,
});

/** The budget's update, or the row of a request, as POST /verification/request writes them side by side. */
const isOfRequest = (command: string, input: Record<string, unknown>, write: 'UpdateItem' | 'PutItem'): boolean =>
  command === write &&
  currentFunction()?.name === 'verification-http' &&
  (write === 'UpdateItem' ? /"BUDGET"/ : /#V#R\d/).test(JSON.stringify(input));

/** One of its two writes is never made. */
async function dyingRequest(testApp: TestApp, headers: Call['headers'], unwritten: 'UpdateItem' | 'PutItem'): Promise<void> {
  using _death = testApp.onTable(({ command, when, input }) => {
    if (when === 'before' && isOfRequest(command, input, unwritten)) throw new Error('The process died.');
  });
  await testApp.call(requestCall(headers, { identifier: newPhone() }));
}

/** A company of its own, with an endpoint subscribed to every request: those of the others are counted without. */
let listening: Promise<string> | undefined;
const keyOfListener = (): Promise<string> => (listening ??= prepareListener());
async function prepareListener(): Promise<string> {
  const company = await newCompany();
  const input = { url: 'https://hooks.example.com/in', events: ['verification.requested'] };
  const { id } = unwrap(await createWebhook({ companyId: company.id, scopes }, input, ulid(Date.now())));
  await endpointEntity.change({ companyId: company.id, id }, { set: { url: listener.url } });
  const settings_json = { velocity: { max_identifiers: 1_000 } };
  const profile = unwrap(await createProfile(company.id, { name: 'Sign-in', settings_json }));
  return unwrap(await issueKey(company.id, profile.id, {})).public_key;
}
