import { dayMs, hourMs } from '../runtime/clock.ts';

/**
 * Sessions: the credential of a page in a browser, in a cookie that no script reads. It is accepted from the product's own origin only, and
 * for a write only with a header that no form and no link can send. See docs/decisions/sessions.md.
 */
export const sessionIdleMs = 12 * hourMs;
export const sessionLifeMs = 7 * dayMs;

/** What a page sends with each write of a session; any value. Another origin would need a preflight for it, which the API does not grant. */
export const sessionHeader = 'x-session-request';

/** The host that the browser called, where CloudFront stands before the API and calls it by another name. */
export const viewerHostHeader = 'x-viewer-host';

/** Without TLS, on the laptop alone, browsers take no `__Host-` cookie. */
export const sessionCookieName = (baseUrl: string | undefined): string => cookieName('swb_session', baseUrl);

/** The header that stores a session in the browser, or with no secret ends it there. */
export const sessionCookie = (baseUrl: string | undefined, secret: string, maxAgeSeconds: number): string =>
  secretCookie('swb_session', baseUrl, secret, maxAgeSeconds);

/** A cookie for the product's own pages: no script reads it, no other site makes the browser send it. */
export const secretCookie = (name: string, baseUrl: string | undefined, value: string, maxAgeSeconds: number): string =>
  [
    `${cookieName(name, baseUrl)}=${value}`,
    'Path=/',
    `Max-Age=${Math.max(0, Math.floor(maxAgeSeconds))}`,
    'HttpOnly',
    ...(isLaptop(baseUrl) ? [] : ['Secure']),
    'SameSite=Strict',
  ].join('; ');

export const cookieName = (name: string, baseUrl: string | undefined): string => (isLaptop(baseUrl) ? name : `__Host-${name}`);

/**
 * Why a request may have been made by a page of another origin; undefined: it was not. A browser names the origin of each write, and sets
 * `Sec-Fetch-Site` itself; a request with neither came from no page of ours.
 */
export const crossOriginReason = (
  headers: Readonly<Record<string, string>>,
  baseUrl: string | undefined,
  isWrite: boolean,
): string | undefined => {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') return 'A session is for pages of the same origin.';
  if (origin !== undefined && !ownOrigins(headers, baseUrl).includes(origin)) return 'A session is for pages of the same origin.';
  if (site === undefined && origin === undefined) return 'Send Origin or Sec-Fetch-Site with a session.';
  return isWrite && headers[sessionHeader] === undefined ? 'Send X-Session-Request: 1 with the writes of a session.' : undefined;
};

/** A page can set neither Host nor, without a preflight, the name that CloudFront was called by. */
/** The origins under which the pages of this deployment may have called. */
export function ownOrigins(headers: Readonly<Record<string, string>>, baseUrl: string | undefined): string[] {
  const { host, [viewerHostHeader]: viewerHost } = headers;
  return [
    ...(baseUrl === undefined ? [] : [new URL(baseUrl).origin]),
    // under which of its names the laptop is called; its gateway takes no other
    ...(isLaptop(baseUrl) && host !== undefined ? [`http://${host}`] : []),
    ...(viewerHost === undefined ? [] : [`https://${viewerHost}`]),
  ];
}

const isLaptop = (baseUrl: string | undefined): boolean => /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|$)/.test(baseUrl ?? '');
