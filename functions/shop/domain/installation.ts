import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The store platform's authorization code grant, as far as it is rules (shopify.dev, "Implement authorization code grant"): who may ask,
 * where the person is sent, what must have been granted.
 */

export const scopes = ['read_products', 'read_orders', 'read_checkouts'] as const;

/** What the platform is asked to tell of. */
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

/** A shop's own domain in lower case; anything else is no shop, and no address is ever made of it. */
export const parseShopDomain = (value: string | null): string | undefined =>
  value !== null && value.length <= 100 && /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/i.test(value) ? value.toLowerCase() : undefined;

/** How far a signed query may lie in the past or the future. */
export const maxQueryAgeMs = 90_000;

/** Whether the query is the platform's and of now: sorted pairs without `hmac`, HMAC-SHA256 with the client secret in hex. */
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

/** The platform's consent page. */
export const consentUrl = (
  shopRoot: string,
  { clientId, redirectUri, state }: { clientId: string; redirectUri: string; state: string },
): string =>
  `${shopRoot}/admin/oauth/authorize?${new URLSearchParams({
    client_id: clientId,
    scope: scopes.join(','),
    redirect_uri: redirectUri,
    state,
  }).toString()}`;

/** Scopes that were asked for and not given; writing a thing includes reading it. */
export const missingScopes = (granted: readonly string[]): string[] =>
  scopes.filter((scope) => !granted.includes(scope) && !granted.includes(scope.replace('read_', 'write_')));
