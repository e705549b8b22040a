import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type middy from '@middy/core';
import type { Problem, ProblemCode } from '../contract/problems.ts';
import type { Once, Principal, RouteSpec } from '../contract/route.ts';
import type { RateState } from '../access/credential.ts';
import type { UnknownField } from './unknown-fields.ts';
import { optionalSetting } from '../runtime/env.ts';

/** What the stages learn of a request and hand on, in the order of the stack. */
export interface Exchange {
  requestId: string;
  /** Where the API is reached from outside: the operator's own domain, else the one that was called. Undefined at a function's own URL. */
  baseUrl: string | undefined;
  startedAt: number;
  /** Undefined until it is found; no route may have the address. */
  route: RouteSpec | undefined;
  routeName: string | undefined;
  pathParameters: Record<string, string>;
  principal: Principal | undefined;
  rate: RateState | undefined;
  /** Set for receivers: counts a post without a valid signature. */
  countUnsigned?: () => Promise<Problem<'rate_limited'> | undefined>;
  rawBody: Buffer;
  /** Decoded, not yet parsed by a schema. */
  body: unknown;
  /** Fields of the body that the operation does not know, which it left out. */
  unknownFields?: readonly UnknownField[];
  /** The same of the query. */
  unknownParameters?: readonly UnknownField[];
  /** The address has a token in it, which logs and browsers keep. */
  hasTokenInQuery?: boolean;
  /** The body came as a form, where lists and objects are JSON texts. */
  isForm?: boolean;
  query: Record<string, unknown>;
  operationId: string;
  once: Once;
  replayed: boolean;
  /** The answer kept under the request's Idempotency-Key: given in place of running the operation again. */
  storedResponse?: HttpResult;
  /** The problem that the request is answered with. */
  problem?: ProblemCode;
}

/** The exchange after the stage that finds the route. */
export interface RoutedExchange extends Exchange {
  route: RouteSpec;
  routeName: string;
}

/** An event of the HTTP API or of a function URL, with what the stack has learned so far. */
export type HttpEvent = APIGatewayProxyEventV2 & { exchange: Exchange };
export type RoutedEvent = HttpEvent & { exchange: RoutedExchange };
export type HttpResult = APIGatewayProxyStructuredResultV2;
export type HttpRequest<E extends HttpEvent = HttpEvent> = middy.Request<E, HttpResult, Error>;

/** A stage of the stack: one that comes before the route is found reads an HttpEvent. Its onError runs wherever the request ended. */
export interface Middleware<E extends HttpEvent = RoutedEvent> {
  before?: (request: HttpRequest<E>) => Promise<void> | void;
  after?: (request: HttpRequest<E>) => Promise<void> | void;
  onError?: (request: HttpRequest) => Promise<void> | void;
}

/** Carries a problem to the problems middleware: the only thing that is thrown on purpose, and only at this border. */
export class RefusedRequest extends Error {
  override name = 'RefusedRequest';
  readonly refusal: Problem;
  constructor(refusal: Problem<ProblemCode>) {
    super(refusal.problem);
    this.refusal = refusal;
  }
}

/** Where the outside reaches us: the operator's own domain, else the one that was called. */
export function publicBase(event: HttpEvent): string {
  return optionalSetting('PUBLIC_BASE_URL') ?? `https://${event.requestContext.domainName}`;
}

/** API Gateway and function URLs hand cookies over beside the headers. */
export function cookiesOf(event: HttpEvent): Record<string, string> {
  const pairs = (event.cookies ?? []).map((cookie): [string, string] => {
    const [name = '', ...value] = cookie.split('=');
    return [name.trim(), value.join('=').trim()];
  });
  return Object.fromEntries(pairs);
}

/** The URL of the API without a path. Function URLs have a domain of their own, which serves one receiver only. */
export const baseUrlOf = (event: HttpEvent): string | undefined => {
  const { domainName } = event.requestContext;
  return optionalSetting('PUBLIC_BASE_URL') ?? (/\.lambda-url\./.test(domainName) ? undefined : `https://${domainName}`);
};

/** An answer given before the operation, with the headers of every answer. */
export class EarlyAnswer extends Error {
  override name = 'EarlyAnswer';
  readonly result: HttpResult;
  constructor(result: HttpResult) {
    super('The request is answered before its operation.');
    this.result = result;
  }
}

/** The headers by lower-case name. API Gateway joins the values of a repeated header with commas. */
export const headersOf = (event: HttpEvent): Record<string, string> =>
  Object.fromEntries(
    Object.entries(event.headers ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])),
  );
