import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { uploadHeaders } from '../../shared/objects/upload-headers.ts';

/**
 * Requests that a web page in the developer's browser could have sent to a server of the laptop. Every server is on loopback only, but a page
 * of any site may post to loopback, and a name that resolves to 127.0.0.1 makes it the page's own origin.
 */
export const foreignReason = (headers: IncomingHttpHeaders, rules: ForeignRules = {}): string | undefined => {
  const { host = '', origin } = headers;
  const { otherHosts = [], isOpenToPages = false } = rules;
  if (!ownHosts.has(hostnameOf(host)) && !otherHosts.includes(hostnameOf(host)))
    return `The host ${host.slice(0, 100)} is not this machine.`;
  if (isOpenToPages) return undefined;
  if (origin !== undefined && origin !== `http://${host}`) return 'Pages of other origins may not call this.';
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && rules.isNavigable === true;
  return headers['sec-fetch-site'] === 'cross-site' && !isNavigation ? 'Pages of other sites may not call this.' : undefined;
};

export interface ForeignRules {
  /** Host names that are allowed beside the machine's own. */
  otherHosts?: readonly string[];
  /** Pages of other origins may call it, as far as CORS lets them. */
  isOpenToPages?: boolean;
  /** Pages of these origins may read and write files (GET, HEAD, PUT), as the CORS rules of a bucket let the pages of a site. */
  filePages?: readonly string[];
  /** Paths of scripts that pages of other origins load. */
  scripts?: readonly string[];
  /** A browser may be led here by a link or a redirect of another site. */
  isNavigable?: boolean;
}

/** Answers foreign requests with 403 before the server sees them. */
export const refuseForeign = <S extends Server>(server: S, rules?: ForeignRules): S => {
  const emit = server.emit.bind(server) as (event: string, ...parts: unknown[]) => boolean;
  server.emit = ((event: string, ...parts: unknown[]): boolean => {
    if (event !== 'request') return emit(event, ...parts);
    const [request, response] = parts as [IncomingMessage, ServerResponse];
    const page = filePageOf(request, rules);
    const isOpen = page !== undefined || rules?.scripts?.includes(request.url ?? '') === true;
    const reason = foreignReason(request.headers, isOpen ? { ...rules, isOpenToPages: true } : rules);
    if (reason === undefined && page !== undefined) {
      response.setHeader('access-control-allow-origin', page);
      response.setHeader('vary', 'Origin');
      if (request.method === 'OPTIONS') {
        response
          .writeHead(204, { 'access-control-allow-methods': 'GET, HEAD, PUT', 'access-control-allow-headers': uploadHeaders.join(', ') })
          .end();
        return true;
      }
    }
    if (reason === undefined) return emit(event, ...parts);
    request.resume();
    response.writeHead(403, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(foreignBody(reason)));
    return true;
  }) as S['emit'];
  return server;
};

const fileMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT']);

/** The origin of a page that reads or writes a file; queues, which are at the same address, take POST alone. */
function filePageOf({ headers, method = '' }: IncomingMessage, { filePages = [] }: ForeignRules = {}): string | undefined {
  const { origin, 'access-control-request-method': wanted = '' } = headers;
  if (origin === undefined || !filePages.includes(origin)) return undefined;
  return fileMethods.has(method === 'OPTIONS' ? wanted : method) ? origin : undefined;
}

export const foreignBody = (message: string): object => ({ status: 'error', code: 'foreign_request', message });

const ownHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

const hostnameOf = (host: string): string => host.toLowerCase().replace(/:\d+$/, '');
