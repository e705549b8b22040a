import { optionalSetting } from '../runtime/env.ts';
import { sha256 } from '../runtime/ids.ts';
import { headersOf, type HttpEvent } from './exchange.ts';

/** The header by which CloudFront shows that a request came through it. */
export const entranceHeader = 'x-entrance-secret';
/** The caller's address as the site's own distribution saw it; written by its function at the edge (lib/aws/site.ts). */
export const viewerHeader = 'x-viewer-address';
/** The secret of the site's own distribution, which the stack makes (docs/decisions/sites.md). */
export const siteEntranceVariable = 'SITE_ENTRANCE_SECRET';
/** The hash of the secret of an entrance that the operator has put before the API: then nothing else is answered (docs/operate.md). */
export const entranceHashVariable = 'ENTRANCE_SECRET_HASH';

/**
 * Whether a request may come the way it came. Through the site, or through an entrance of the operator's, the caller's address is the one that was
 * seen there: all callers of an edge of CloudFront would be one otherwise. A function's own URL has no entrance.
 */
export const cameThroughEntrance = (event: HttpEvent): boolean => {
  if (/\.lambda-url\./.test(event.requestContext.domainName)) return true;
  const headers = headersOf(event);
  const [ofSite, ofOperator] = [optionalSetting(siteEntranceVariable), optionalSetting(entranceHashVariable)];
  const shown = headers[entranceHeader];
  // how long two hashes are alike shows nothing about the secret
  const hash = shown === undefined ? undefined : sha256(shown);
  if (hash !== undefined && ofSite !== undefined && hash === sha256(ofSite)) {
    takeViewer(event, headers[viewerHeader]);
    return true;
  }
  if (ofOperator === undefined) return true;
  if (hash !== ofOperator) return false;
  // address and port: IPv6 too has a colon before its port
  takeViewer(event, /^(.+):\d+$/.exec(headers['cloudfront-viewer-address'] ?? '')?.[1]);
  return true;
};

function takeViewer({ requestContext: { http } }: HttpEvent, address: string | undefined): void {
  if (address !== undefined) http.sourceIp = address.replace(/^\[|\]$/g, '');
}
