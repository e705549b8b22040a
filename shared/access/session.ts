import { dayMs, hourMs, minuteMs } from '../runtime/clock.ts';
import { optionalSetting } from '../runtime/env.ts';

/**
 * Sessions: the credential of a page in a browser, in a cookie that no script reads. It is accepted from the product's own origin only, and
 * for a write only with a header that no form and no link can send. See docs/decisions/sessions.md.
 */
export const sessionIdleMs = 12 * hourMs;
export const sessionLifeMs = 7 * dayMs;
/** How long a sign-in is a proof that its user is there, for what makes credentials, users and numbers. */
export const freshProofMs = 10 * minuteMs;

/** What a page sends with each write of a session; any value. Another origin would need a preflight for it, which the API does not grant. */
export const sessionHeader = 'x-session-request';

/**
 * The session for which the page made the call, `<company id>:<user id>`. The tabs of a browser share one cookie: another tab may have
 * signed in to another company, whose ids are the same numbers.
 */
export const pageSessionHeader = 'x-session';

/** Whether the page shows another company or user than those of the cookie. A caller that names none is believed. */
export const isOtherSession = (header: string | undefined, { companyId, userId }: { companyId: number; userId: number }): boolean =>
  header !== undefined && header !== `${companyId}:${userId}`;

/** Where CloudFront serves the pages and the API on one origin: its URL, a setting of the functions. */
export const siteUrlVariable = 'SITE_BASE_URL';

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

/** The origins under which the pages of this deployment may have called: settings of it alone, which no request can add to. */
export function ownOrigins(headers: Readonly<Record<string, string>>, baseUrl: string | undefined): string[] {
  const { host } = headers;
  const siteUrl = optionalSetting(siteUrlVariable);
  return [
    ...(baseUrl === undefined ? [] : [new URL(baseUrl).origin]),
    // under which of its names the laptop is called; its gateway takes no other
    ...(isLaptop(baseUrl) && host !== undefined ? [`http://${host}`] : []),
    ...(siteUrl === undefined ? [] : [new URL(siteUrl).origin]),
  ];
}

/** The origin at which this deployment has its pages; undefined: it has none. On the laptop it is that of the call. */
export function pagesOrigin(url: string): string | undefined {
  const siteUrl = optionalSetting(siteUrlVariable);
  if (siteUrl !== undefined) return new URL(siteUrl).origin;
  return isLaptop(url) ? new URL(url).origin : undefined;
}

const isLaptop = (baseUrl: string | undefined): boolean => /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|$)/.test(baseUrl ?? '');
