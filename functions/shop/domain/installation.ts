import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Rules of the store platform's authorization code grant: signed queries, the consent URL, the required scopes.
 * https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens/authorization-code-grant
 */

export const storeScopes = ['read_products', 'read_orders', 'read_checkouts'] as const;

/** The webhook topics that every connection subscribes to. */
export const webhookTopics = [
  'PRODUCTS_CREATE',
  'PRODUCTS_UPDATE',
  'PRODUCTS_DELETE',
  'ORDERS_CREATE',
  'ORDERS_UPDATED',
  'ORDERS_CANCELLED',
  'ORDERS_FULFILLED',
  'CHECKOUTS_CREATE',
  'CHECKOUTS_UPDATE',
  'APP_UNINSTALLED',
] as const;

/** A shop's own domain in lower case, or undefined. No URL is built from any other text. */
export const parseShopDomain = (value: string | null): string | undefined =>
  value !== null && value.length <= 100 && /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/i.test(value) ? value.toLowerCase() : undefined;

/** How far the timestamp of a signed query may lie in the past or the future. */
export const maxQueryAgeMs = 90_000;

/** Whether the platform signed the query recently: HMAC-SHA256 in hex, with the client secret, over the sorted pairs without `hmac`. */
export const isSignedByPlatform = (query: URLSearchParams, secrets: readonly string[], at: number): boolean => {
  const given = query.get('hmac') ?? '';
  const signedAt = Number(query.get('timestamp')) * 1_000;
  if (!/^[0-9a-f]{64}$/i.test(given) || query.getAll('hmac').length > 1 || !(Math.abs(signedAt - at) <= maxQueryAgeMs)) return false;
  const digest = Buffer.from(given, 'hex');
  return secrets
    .map((secret) => timingSafeEqual(createHmac('sha256', secret).update(signedContent(query)).digest(), digest))
    .includes(true);
};

export const signedContent = (query: URLSearchParams): string =>
  [...query]
    .filter(([name]) => name !== 'hmac' && name !== 'signature')
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');

/** The URL of the platform's consent page. */
export const consentUrl = (
  shopRoot: string,
  { clientId, redirectUri, state }: { clientId: string; redirectUri: string; state: string },
): string =>
  `${shopRoot}/admin/oauth/authorize?${new URLSearchParams({
    client_id: clientId,
    scope: storeScopes.join(','),
    redirect_uri: redirectUri,
    state,
  }).toString()}`;

/** Requested scopes that were not granted. A write scope includes reading. */
export const missingScopes = (granted: readonly string[]): string[] =>
  storeScopes.filter((scope) => !granted.includes(scope) && !granted.includes(scope.replace('read_', 'write_')));
