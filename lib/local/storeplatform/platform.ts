import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuseForeign } from '../foreign-requests.ts';
import { type Selected, selectFields, selectionOf } from './selection.ts';

/**
 * A stand-in for the store platform, on loopback only, as its documentation says it behaves: the authorization code grant with expiring
 * offline tokens and their rotation, the GraphQL Admin API as far as the product uses it, webhooks signed with the app's secret
 * (shopify.dev: "Implement authorization code grant", "Offline access tokens", "Webhooks: delivery structure"). Each shop has its own
 * path: `/<shop>/admin/...`.
 */
export interface Platform {
  url: string;
  shop: (domain: string) => Shop;
  /** The signed query with which the platform's own page leads to the app. */
  startQuery: (domain: string) => string;
  /** Posts a webhook to every subscription of its topic; the answers' statuses. */
  publish: (domain: string, topic: string, body: unknown) => Promise<number[]>;
  /** Ends the installation as the merchant does: the tokens are invalid when the webhook arrives. */
  uninstall: (domain: string) => Promise<number[]>;
  /** Writes its shops down, after they were changed from outside. */
  save: () => void;
  stop: () => Promise<void>;
}

export interface Shop {
  currency: string;
  products: Record<string, unknown>[];
  orders: Record<string, unknown>[];
  subscriptions: { id: string; topic: string; uri: string }[];
  /** Every token that was given out, newest last. */
  tokens: Token[];
  /** The next calls of the API are answered so. */
  faults: ('throttled' | 'unavailable' | 'lose-token-answer')[];
  calls: number;
}

interface Token {
  access: string;
  refresh: string;
  endsAt: number;
  refreshEndsAt: number;
  scope: string;
  /** Whether its refresh token was used; its predecessor's works until this token is used itself. */
  isUsed: boolean;
  isDead: boolean;
}

export interface PlatformOptions {
  clientId: string;
  clientSecret: string;
  /** Posts a webhook; over HTTP unless a test takes it elsewhere. */
  post?: (uri: string, headers: Record<string, string>, body: string) => Promise<number>;
  /** Scopes that the merchant grants; those requested by default. */
  grants?: string;
  /** The file in which its shops survive restarts; none by default. */
  file?: string;
}

export const startPlatform = async (options: PlatformOptions): Promise<Platform> => {
  const { clientId, clientSecret } = options;
  const stored =
    options.file !== undefined && existsSync(options.file) ? (JSON.parse(readFileSync(options.file, 'utf8')) as [string, Shop][]) : [];
  const shops = new Map<string, Shop>(stored);
  const save = (): void => {
    if (options.file !== undefined) writeFileSync(options.file, JSON.stringify([...shops]), { mode: 0o600 });
  };
  const codes = new Map<string, { domain: string; scope: string }>();
  const shop = (domain: string): Shop => {
    let found = shops.get(domain);
    if (!found)
      shops.set(domain, (found = { currency: 'USD', products: [], orders: [], subscriptions: [], tokens: [], faults: [], calls: 0 }));
    return found;
  };
  const hexOf = (text: string): string => createHmac('sha256', clientSecret).update(text).digest('hex');
  const signed = (values: Record<string, string>): string => {
    const query = new URLSearchParams({ ...values, timestamp: String(Math.floor(Date.now() / 1_000)) });
    const text = [...query]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .join('&');
    query.set('hmac', hexOf(text));
    return query.toString();
  };

  const authorize = (domain: string, query: URLSearchParams): Reply => {
    if (query.get('client_id') !== clientId) return { status: 400, body: 'Oauth error application_cannot_be_found' };
    const code = randomBytes(16).toString('hex');
    codes.set(code, { domain, scope: options.grants ?? query.get('scope') ?? '' });
    const host = Buffer.from(`${domain}/admin`).toString('base64').replace(/=+$/, '');
    const back = signed({ code, host, shop: domain, state: query.get('state') ?? '' });
    return { status: 302, headers: { location: `${query.get('redirect_uri')}?${back}` } };
  };

  const issue = (domain: string, scope: string): Reply => {
    const token: Token = {
      access: `shpat_${randomBytes(16).toString('hex')}`,
      refresh: `shprt_${randomBytes(16).toString('hex')}`,
      endsAt: Date.now() + 3_600_000,
      refreshEndsAt: Date.now() + 90 * 86_400_000,
      scope,
      isUsed: false,
      isDead: false,
    };
    shop(domain).tokens.push(token);
    const body = {
      access_token: token.access,
      scope,
      expires_in: 3_600,
      refresh_token: token.refresh,
      refresh_token_expires_in: 7_776_000,
    };
    return { status: 200, body };
  };

  const accessToken = (domain: string, body: Record<string, unknown>): Reply => {
    if (body['client_id'] !== clientId || body['client_secret'] !== clientSecret) return { status: 401, body: { error: 'invalid_client' } };
    if (body['grant_type'] === 'refresh_token') {
      const { tokens } = shop(domain);
      const index = tokens.findIndex(({ refresh }) => refresh === body['refresh_token']);
      const held = tokens[index];
      const isReplaced = tokens.slice(index + 1).some(({ isUsed }) => isUsed);
      if (!held || held.isDead || isReplaced || held.refreshEndsAt < Date.now()) return { status: 400, body: { error: 'invalid_grant' } };
      return issue(domain, held.scope);
    }
    const code = codes.get(String(body['code']));
    codes.delete(String(body['code']));
    if (code?.domain !== domain)
      return {
        status: 400,
        body: { error: 'invalid_request', error_description: 'The authorization code was not found or was already used' },
      };
    // an app made since April 2026 gets expiring tokens or none
    if (body['expiring'] !== '1' && body['expiring'] !== 1) return { status: 400, body: { error: 'invalid_request' } };
    return issue(domain, code.scope);
  };

  const graphql = (domain: string, token: string, body: Record<string, unknown>): Reply => {
    const store = shop(domain);
    store.calls++;
    const held = store.tokens.find(({ access }) => access === token);
    if (!held || held.isDead || held.endsAt <= Date.now())
      return { status: 401, body: { errors: '[API] Invalid API key or access token (unrecognized login or wrong password)' } };
    held.isUsed = true;
    const fault = store.faults[0] === 'lose-token-answer' ? undefined : store.faults.shift();
    if (fault === 'unavailable') return { status: 503, body: '' };
    if (fault === 'throttled') return { status: 200, body: { errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }] } };
    try {
      const fields = selectionOf(String(body['query']));
      const variables = (body['variables'] ?? {}) as Record<string, unknown>;
      return { status: 200, body: { data: Object.fromEntries(fields.map((field) => [field.name, answerField(store, field, variables)])) } };
    } catch (error) {
      return { status: 200, body: { errors: [{ message: (error as Error).message, extensions: { code: 'undefinedField' } }] } };
    }
  };

  const publish = async (domain: string, topic: string, body: unknown): Promise<number[]> => {
    const raw = JSON.stringify(body);
    const named = topic.toUpperCase().replace('/', '_');
    const headers = {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-shop-domain': domain,
      'x-shopify-api-version': '2026-10',
      'x-shopify-webhook-id': crypto.randomUUID(),
      'x-shopify-triggered-at': new Date().toISOString(),
      'x-shopify-hmac-sha256': createHmac('sha256', clientSecret).update(raw).digest('base64'),
    };
    const post = options.post ?? overHttp;
    return Promise.all(
      shop(domain)
        .subscriptions.filter((each) => each.topic === named)
        .map(({ uri }) => post(uri, headers, raw)),
    );
  };

  const plain = createServer((request, response) => {
    void handle(request, response).catch(() => response.writeHead(500).end());
  });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, domain = '', ...rest] = url.pathname.split('/');
    const path = rest.join('/');
    const body = request.method === 'POST' ? await readJson(request) : {};
    let reply: Reply = { status: 404, body: { errors: 'Not Found' } };
    if (request.method === 'GET' && path === 'admin/oauth/authorize') reply = authorize(domain, url.searchParams);
    if (request.method === 'POST' && path === 'admin/oauth/access_token') {
      reply = accessToken(domain, body);
      if (shop(domain).faults[0] === 'lose-token-answer') {
        shop(domain).faults.shift();
        return void response.socket?.destroy();
      }
    }
    if (request.method === 'POST' && /^admin\/api\/\d{4}-\d{2}\/graphql\.json$/.test(path))
      reply = graphql(domain, String(request.headers['x-shopify-access-token'] ?? ''), body);
    save();
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {}));
  };
  // the browser of a merchant is led to the page of consent
  const server = refuseForeign(plain, { isNavigable: true });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shop,
    startQuery: (domain) => signed({ shop: domain, host: Buffer.from(`${domain}/admin`).toString('base64').replace(/=+$/, '') }),
    publish,
    save,
    uninstall: (domain) => {
      for (const token of shop(domain).tokens) token.isDead = true;
      const statuses = publish(domain, 'app/uninstalled', { id: 1, domain, myshopify_domain: domain });
      shop(domain).subscriptions = [];
      return statuses;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

function answerField(store: Shop, field: Selected, variables: Record<string, unknown>): unknown {
  switch (field.name) {
    case 'shop':
      return selectFields({ currencyCode: store.currency }, field.fields, 'Shop');
    case 'productsCount':
      return selectFields({ count: store.products.length }, field.fields, 'Count');
    case 'ordersCount':
      return selectFields({ count: store.orders.length }, field.fields, 'Count');
    case 'products':
    case 'orders':
      return selectFields({ nodes: pageOf(store[field.name], field.args, variables) }, field.fields, 'Connection');
    case 'webhookSubscriptions':
      return selectFields({ nodes: store.subscriptions }, field.fields, 'WebhookSubscriptionConnection');
    case 'webhookSubscriptionCreate': {
      const given = variables['webhookSubscription'] as { uri: string };
      const topic = String(variables['topic']);
      const isTaken = store.subscriptions.some((each) => each.topic === topic && each.uri === given.uri);
      const made = { id: `gid://shopify/WebhookSubscription/${store.calls}`, topic, uri: given.uri };
      if (!isTaken) store.subscriptions.push(made);
      const userErrors = isTaken
        ? [{ field: ['webhookSubscription', 'uri'], message: 'Address for this topic has already been taken' }]
        : [];
      return selectFields({ webhookSubscription: isTaken ? null : made, userErrors }, field.fields, 'WebhookSubscriptionCreatePayload');
    }
    case 'webhookSubscriptionDelete': {
      store.subscriptions = store.subscriptions.filter(({ id }) => id !== variables['id']);
      return selectFields(
        { deletedWebhookSubscriptionId: variables['id'], userErrors: [] },
        field.fields,
        'WebhookSubscriptionDeletePayload',
      );
    }
    default:
      throw new Error(`Field '${field.name}' doesn't exist on type 'QueryRoot'`);
  }
}

/** Sorted by id, beginning after the one that the search names. */
function pageOf(records: readonly Record<string, unknown>[], args: string, variables: Record<string, unknown>): Record<string, unknown>[] {
  if (!/sortKey\s*:?\s*ID/.test(args.replaceAll(' : ', ': '))) throw new Error('The stand-in sorts by ID alone');
  const after = BigInt(/^id:>(\d+)$/.exec(String(variables['search']))?.[1] ?? '0');
  return records
    .filter((each) => BigInt(String(each['legacyResourceId'])) > after)
    .toSorted((a, b) => (BigInt(String(a['legacyResourceId'])) < BigInt(String(b['legacyResourceId'])) ? -1 : 1))
    .slice(0, Number(variables['first']));
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as Record<string, unknown>;
}

const overHttp = async (uri: string, headers: Record<string, string>, body: string): Promise<number> =>
  (await fetch(uri, { method: 'POST', headers, body })).status;
