import { cookieName, secretCookie, sessionCookieName } from '../../../shared/access/session.ts';
import type { Request } from '../../../shared/contract/route.ts';
import { knownBrowserLifeMs } from '../domain/session.ts';
import type { OwnCallsOf } from '../../../shared/http/caller.ts';
import { ownCallsOf } from '../service/known-browser.ts';
import type { Browser } from '../service/start-session.ts';

type Received = Pick<Request, 'method' | 'url' | 'operationId' | 'headers' | 'cookies' | 'sourceIp'>;

/** The browser that signs in, with the secrets of its cookies. */
export function browserOf({ method, url, operationId, headers, cookies, sourceIp }: Received): Browser {
  const call = { method, url, operationId, sourceIp, userAgent: headers['user-agent'] ?? '' };
  return {
    call,
    former: cookies[sessionCookieName(url)],
    choice: cookies[cookieName(choice, url)],
    known: cookies[cookieName(known, url)],
  };
}

const known = 'swb_browser';
/** The cookie by which a browser is known again, to itself alone. */
export const knownBrowserCookie = (url: string, value: string): string => secretCookie(known, url, value, knownBrowserLifeMs / 1_000);

/** The calls of a browser beside those of its address; `finishing`: the operations that finish a sign-in. */
export const ownCallsIn =
  (...finishing: readonly string[]): OwnCallsOf =>
  ({ routeName, cookies, url }) =>
    ownCallsOf(cookies[cookieName(known, url)], finishing.includes(routeName));

const choice = 'swb_choice';
/** The cookie in which a proven email address waits for the choice of a company. */
export const choiceCookie = (url: string, value: string, maxAgeSeconds: number): string => secretCookie(choice, url, value, maxAgeSeconds);
