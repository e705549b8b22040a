import * as z from 'zod';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { guardedFetch } from '../../../shared/runtime/fetch.ts';
import { jsonOf } from '../../../shared/runtime/json.ts';
import { readKeyRing } from '../../../shared/runtime/seal.ts';
import { platformApp } from '../contract/connection.ts';

/** The gateway to the store platform: its token endpoint and its GraphQL Admin API. Callers have validated the shop's domain. */
export const apiVersion = '2026-10';

export const shopRoot = (shop: string): string => {
  const base = optionalSetting('STOREPLATFORM_BASE_URL');
  return base ? `${base}/${shop}` : `https://${shop}`;
};

/**
 * Our app's client id and its secrets: the current one first, then those before a rotation. `lifeMs`: how old they may be, five minutes by
 * default.
 */
export const appCredentials = async (options: { lifeMs?: number } = {}): Promise<{ clientId: string; secrets: readonly string[] }> => {
  const { id, key, previous } = await readKeyRing(platformApp, options);
  return { clientId: id, secrets: [key, ...Object.values(previous ?? {})] };
};

export interface Tokens {
  access: string;
  refresh: string | undefined;
  scopes: string[];
  lifeSeconds: number | undefined;
}

/** Exchanges an authorization code for an expiring offline token. `refused` is final, `unavailable` may be retried. */
export const exchangeCode = (shop: string, code: string): Promise<Tokens | 'refused' | 'unavailable'> =>
  requestTokens(shop, { code, expiring: '1' });

/** Exchanges a refresh token. The old one stays valid until the new one is used (https://shopify.dev/changelog, 2026-08-28). */
export const refreshTokens = (shop: string, refreshToken: string): Promise<Tokens | 'refused' | 'unavailable'> =>
  requestTokens(shop, { grant_type: 'refresh_token', refresh_token: refreshToken });

export type QueryResult =
  | { outcome: 'done'; data: Record<string, unknown> }
  | { outcome: 'throttled' | 'unauthorized' | 'unavailable' | 'refused' };

/** Runs one GraphQL query. `throttled`: the shop's query budget is used up for a few seconds. */
export const queryPlatform = async (
  shop: string,
  accessToken: string,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<QueryResult> => {
  const answer = await guardedFetch(`${shopRoot(shop)}/admin/api/${apiVersion}/graphql.json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'x-shopify-access-token': accessToken },
    body: JSON.stringify({ query, variables }),
    timeoutMs: 20_000,
    maxBytes: 8_000_000,
  });
  if (answer.outcome !== 'answered' || answer.status >= 500) return { outcome: 'unavailable' };
  if (answer.status === 401 || answer.status === 403) return { outcome: 'unauthorized' };
  if (answer.status === 429) return { outcome: 'throttled' };
  const read = graphqlAnswer.safeParse(jsonOf(answer.body));
  if (!read.success) return { outcome: 'unavailable' };
  if (read.data.errors?.some(({ extensions }) => extensions?.code === 'THROTTLED')) return { outcome: 'throttled' };
  return read.data.errors?.length || !read.data.data ? { outcome: 'refused' } : { outcome: 'done', data: read.data.data };
};

const graphqlAnswer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.looseObject({ extensions: z.looseObject({ code: z.string().optional() }).optional() })).optional(),
});

const tokenAnswer = z.object({
  access_token: z.string().min(1),
  scope: z.string(),
  expires_in: z.number().optional(),
  refresh_token: z.string().optional(),
});

async function requestTokens(shop: string, grant: Record<string, string>): Promise<Tokens | 'refused' | 'unavailable'> {
  const { clientId, secrets } = await appCredentials();
  const answer = await guardedFetch(`${shopRoot(shop)}/admin/oauth/access_token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ client_id: clientId, client_secret: secrets[0], ...grant }),
    timeoutMs: 10_000,
    maxBytes: 100_000,
  });
  if (answer.outcome !== 'answered' || answer.status >= 500 || answer.status === 429) return 'unavailable';
  const read = tokenAnswer.safeParse(jsonOf(answer.body));
  if (answer.status !== 200 || !read.success) return 'refused';
  const { access_token: access, scope, expires_in: lifeSeconds, refresh_token: refresh } = read.data;
  return { access, refresh, scopes: scope.split(',').map((each) => each.trim()), lifeSeconds };
}
