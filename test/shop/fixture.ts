import { createHmac } from 'node:crypto';
import { issueErpToken, issueWebhookToken } from '../../functions/account/service/machine-tokens.ts';
import { syncAccount } from '../../functions/templates/service/sync-account.ts';
import { unwrap, newCompany, type TestCompany } from '../support/company.ts';
import type { Answer, Call } from '../support/gateway-event.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/test-app.ts';

/** The whole product with a provider that accepts every message. */
export interface Fixture {
  testApp: TestApp;
  stub: ProviderStub;
  stop: () => Promise<void>;
}

export const startFixture = async (options: TestAppOptions = {}): Promise<Fixture> => {
  const stub = await startProviderStub();
  stub.answering(({ method, path }) =>
    method === 'GET' && path.includes('/message_templates') ? { status: 200, body: { data: templates } } : undefined,
  );
  const testApp = await startTestApp({ ...options, env: { PROVIDER_BASE_URL: stub.url, ...options.env } });
  return { testApp, stub, stop: async () => void (await Promise.all([testApp.stop(), stub.stop()])) };
};

export interface Merchant {
  company: TestCompany;
  templates: Record<'left' | 'moved' | 'plain' | 'pending', number>;
  api: (method: Call['method'], path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
  custom: (event: string, data: unknown) => Promise<Answer>;
  /** Posts rows to the ERP sync. */
  sync: (products: unknown) => Promise<Answer>;
  /** Posts a signed webhook of the store platform, a checkout provider or a logistics provider. */
  post: (
    receiver: 'storeplatform' | 'webshop' | 'checkout' | 'logistics',
    topic: string,
    body: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
  /** The texts that the provider accepted for a phone number, oldest first: template name and parameters. */
  sentTo: (phone: string) => string[];
  settings: (body: unknown) => Promise<Answer>;
}

export const newMerchant = async ({ testApp, stub }: Fixture): Promise<Merchant> => {
  const company = await newCompany({ roles: ['owner'] });
  unwrap(await syncAccount(company.id));
  const token = company.tokens.owner;
  const api: Merchant['api'] = (method, path, body, headers = {}) =>
    testApp.call({ method, path: `/api/v1${path}`, token, headers, ...(body === undefined ? {} : { body }) });
  const listed = (await api('GET', '/templates?status=all')).body as { data: { id: number; name: string }[] };
  const idOf = (name: string): number => listed.data.find((each) => each.name === name)?.id ?? 0;
  const erp = unwrap(await issueErpToken(company.id, {})).secret;
  const secret = 'the secret of this merchant';
  const tokens = new Map<string, string>();
  let deliveries = 0;
  return {
    company,
    templates: { left: idOf('cart_left'), moved: idOf('order_moved'), plain: idOf('plain'), pending: idOf('not_yet') },
    api,
    sync: (products) => testApp.call({ method: 'POST', path: '/api/shop/erp/sync', token: erp, body: { products } }),
    custom: (event, data) => testApp.call({ method: 'POST', path: `/shop/webhooks/custom/${erp}`, body: { event, data } }),
    post: async (receiver, topic, body, headers = {}) => {
      let webhook = tokens.get(receiver);
      if (webhook === undefined)
        tokens.set(receiver, (webhook = unwrap(await issueWebhookToken(company.id, { receiver, shared_secret: secret })).secret));
      const raw = JSON.stringify(body);
      return testApp.call({
        method: 'POST',
        path: `/shop/webhooks/${receiver}/${webhook}`,
        body: raw,
        headers: {
          'content-type': 'application/json',
          'x-webhook-signature': createHmac('sha256', secret).update(raw).digest('hex'),
          'x-webhook-topic': topic,
          'x-shopify-topic': topic,
          'x-shopify-webhook-id': `d-${++deliveries}`,
          ...headers,
        },
      });
    },
    sentTo: (phone) =>
      stub.requests.flatMap(({ body, path }) => {
        if (String(body['to']).replace('+', '') !== phone || !path.includes(company.number.phoneNumberId)) return [];
        const template = body['template'] as { name: string; components?: { parameters: { text: string }[] }[] };
        const texts = (template.components ?? []).flatMap(({ parameters }) => parameters.map(({ text }) => text));
        return [[template.name, ...texts].join('|')];
      }),
    settings: (body) => api('PUT', '/shop/settings', body),
  };
};

const template = (name: string, text: string, category = 'UTILITY', status = 'APPROVED') => ({
  id: String(1_000_000 + name.length),
  name,
  language: 'en',
  status,
  category,
  components: [{ type: 'BODY', text }],
});

const templates = [
  template('cart_left', 'Hi {{1}}, your cart is waiting: {{2}} ok', 'MARKETING'),
  template('order_moved', 'Hi {{1}}, your order {{2}} is now {{3}}.'),
  template('plain', 'Thank you.'),
  template('not_yet', 'Soon.', 'UTILITY', 'PENDING'),
];
