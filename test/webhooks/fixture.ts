import { eventNames } from '../../functions/webhooks/contract/catalog.ts';
import { inboundText, newCompany, type TestCompany } from '../support/company.ts';
import { startProviderStub } from '../support/provider-stub.ts';
import type { Answer } from '../support/gateway-event.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/test-app.ts';

/** The product with its receivers on loopback. */
export interface WebhookFixture extends AsyncDisposable {
  testApp: TestApp;
  company: () => Promise<Listener>;
  /** Time passes, and the scheduler comes only every so often: what it missed is caught up. */
  pass: (seconds: number, everySeconds?: number) => Promise<void>;
}

export interface Listener extends TestCompany {
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
  /** Creates an endpoint. */
  subscribe: (url: string, events?: readonly string[], more?: object) => Promise<Endpoint>;
  /** A customer writes: one message.received. */
  receiveMessage: (text?: string) => Promise<void>;
  deliveries: (id: number, query?: string) => Promise<DeliveryView[]>;
}

/** Without the changes of contacts, so that one message is one event. */
const ofMessages = eventNames.filter((name) => !/^contact\.(created|updated|deleted)$/.test(name));

export interface Endpoint {
  id: number;
  secret: string;
  status: string;
}

export interface DeliveryView {
  id: string;
  event: string;
  status: string;
  attempts: number;
  next_attempt_at: string | null;
  request: { headers: Record<string, string> | null };
  response: { status: number; body: string; headers: Record<string, string> | null } | null;
  error: string | null;
}

/** `patienceMs`: receivers that never answer are given up after this long. */
export const startFixture = async ({
  patienceMs = 400,
  ...options
}: {
  patienceMs?: number;
} & Pick<TestAppOptions, 'contexts' | 'shards'> = {}): Promise<WebhookFixture> => {
  const provider = await startProviderStub();
  const testApp = await startTestApp({
    ...options,
    env: {
      PROVIDER_BASE_URL: provider.url,
      SWITCHBOARD_LOCAL: '1',
      WEBHOOK_TIMEOUT_MS: String(patienceMs),
    },
  });
  return {
    testApp,
    pass: async (seconds, everySeconds = 600) => {
      for (let left = seconds; left > 0; left -= everySeconds) {
        testApp.clock.advance(Math.min(left, everySeconds) * 1_000);
        await testApp.tick('every-minute');
        await testApp.drain({ including: 'delayed', until: testApp.clock.now() + 130_000 });
      }
    },
    company: async () => listenerOf(testApp, await newCompany({ roles: ['admin', 'owner'] })),
    [Symbol.asyncDispose]: async () => {
      await testApp.stop();
      await provider.stop();
    },
  };
};

export const dataOf = <T>(answer: Answer): T => {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
  return (answer.body as { data: T }).data;
};

function listenerOf(testApp: TestApp, company: TestCompany): Listener {
  const token = company.tokens.admin;
  const call: Listener['call'] = (method, path, body, headers = {}) =>
    testApp.call({ method, path: `/api/v1${path}`, token, headers, ...(body === undefined ? {} : { body }) });
  return {
    ...company,
    call,
    subscribe: async (url, events = ofMessages, more = {}) => dataOf(await call('POST', '/webhooks', { url, events, ...more })),
    receiveMessage: async (text = 'Hello') => {
      await testApp.call(inboundText(company, { from: '4915112345678', text }));
    },
    deliveries: async (id, query = '') => dataOf(await call('GET', `/webhooks/${id}/deliveries${query}`)),
  };
}
