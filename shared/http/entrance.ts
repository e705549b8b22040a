import { optionalSetting } from '../runtime/env.ts';
import { sha256 } from '../runtime/ids.ts';
import { headersOf, type HttpEvent } from './exchange.ts';

/** The header by which CloudFront shows that a request came through it. */
export const entranceHeader = 'x-entrance-secret';

/**
 * Whether a request came through the entrance that the operator has put before the API (docs/operate.md). The functions know only the hash
 * of its secret. The caller's address is then the one that the entrance saw. A function's own URL has no entrance.
 */
export const cameThroughEntrance = (event: HttpEvent): boolean => {
  const hash = optionalSetting('ENTRANCE_SECRET_HASH');
  if (hash === undefined || /\.lambda-url\./.test(event.requestContext.domainName)) return true;
  const headers = headersOf(event);
  // how long two hashes are alike shows nothing about the secret
  if (sha256(headers[entranceHeader] ?? '') !== hash) return false;
  // address and port: IPv6 too has a colon before its port
  const viewer = /^(.+):\d+$/.exec(headers['cloudfront-viewer-address'] ?? '')?.[1];
  if (viewer !== undefined) event.requestContext.http.sourceIp = viewer.replace(/^\[|\]$/g, '');
  return true;
};
