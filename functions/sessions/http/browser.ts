import { cookieName, secretCookie, sessionCookieName } from '../../../shared/access/session.ts';
import type { Request } from '../../../shared/contract/route.ts';
import type { Browser } from '../service/start-session.ts';

type Received = Pick<Request, 'method' | 'url' | 'operationId' | 'headers' | 'cookies' | 'sourceIp'>;

/** The browser that signs in, with the secrets of its cookies. */
export function browserOf({ method, url, operationId, headers, cookies, sourceIp }: Received): Browser {
  const call = { method, url, operationId, sourceIp, userAgent: headers['user-agent'] ?? '' };
  return { call, former: cookies[sessionCookieName(url)], choice: cookies[cookieName(choice, url)] };
}

const choice = 'swb_choice';
/** The cookie in which a proven email address waits for the choice of a company. */
export const choiceCookie = (url: string, value: string, maxAgeSeconds: number): string => secretCookie(choice, url, value, maxAgeSeconds);
