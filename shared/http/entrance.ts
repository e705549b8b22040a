import { optionalSetting } from '../runtime/env.ts';
import { sha256 } from '../runtime/ids.ts';
import { headersOf, type HttpEvent } from './exchange.ts';

/** The header by which CloudFront shows that a request came through it. */
export const entranceHeader = 'x-entrance-secret';
/** The caller's address as a distribution of the stack saw it; written by its function at the edge (lib/aws/entrance.ts). */
export const viewerHeader = 'x-viewer-address';
/** The secret of the stack's own distributions, of the pages and before receivers (docs/decisions/sites.md). */
export const ownEntranceVariable = 'OWN_ENTRANCE_SECRET';
/** The hash of the secret of an entrance that the operator has put before the API: then nothing else is answered (docs/operate.md). */
export const entranceHashVariable = 'ENTRANCE_SECRET_HASH';

/**
 * Whether a request may come the way it came. Through a distribution of the stack, or an entrance of the operator's, the caller's address is the one
 * that was seen there: all callers of an edge of CloudFront would be one otherwise. A function's own URL is never closed.
 */
export const cameThroughEntrance = (event: HttpEvent): boolean => {
  const headers = headersOf(event);
  const [ofStack, ofOperator] = [optionalSetting(ownEntranceVariable), optionalSetting(entranceHashVariable)];
  const shown = headers[entranceHeader];
  // how long two hashes are alike shows nothing about the secret
  const hash = shown === undefined ? undefined : sha256(shown);
  if (hash !== undefined && ofStack !== undefined && hash === sha256(ofStack)) {
    takeViewer(event, headers[viewerHeader]);
    return true;
  }
  if (ofOperator === undefined || /\.lambda-url\./.test(event.requestContext.domainName)) return true;
  if (hash !== ofOperator) return false;
  // address and port: IPv6 too has a colon before its port
  takeViewer(event, /^(.+):\d+$/.exec(headers['cloudfront-viewer-address'] ?? '')?.[1]);
  return true;
};

function takeViewer({ requestContext: { http } }: HttpEvent, address: string | undefined): void {
  if (address !== undefined) http.sourceIp = address.replace(/^\[|\]$/g, '');
}
