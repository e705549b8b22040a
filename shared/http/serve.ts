import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context as LambdaContext } from 'aws-lambda';
import { isProblem } from '../contract/problems.ts';
import type { Operations, Request, RouteSpec } from '../contract/route.ts';
import { countCompanyRequest } from '../access/credential.ts';
import { optionalSetting } from '../runtime/env.ts';
import { withActor } from '../runtime/actor.ts';
import { withLogScope } from '../runtime/log.ts';
import { countingReadUnits } from '../table/read-units.ts';
import { answerResult } from './answer.ts';
import { decode, queryPairs } from './decode.ts';
import { headersOf, type HttpEvent, type HttpResult, Refusal } from './exchange.ts';
import { idempotency, type Seal } from './idempotency.ts';
import type { ReadMultipart } from './multipart.ts';
import { matchRoute } from './match.ts';
import { parseInput, withUnknownFields } from './parse.ts';
import { entranceHeader } from './entrance.ts';
import { callerAndLimit, entrance, problemsToBodies, requestLog } from './stages.ts';

/**
 * The one HTTP stack: request id and log, problems, route, caller and limit, decode, idempotency, parse, operation, reply.
 * A function's whole handler is `serve(routes, operations)`; one with secret routes gives its seal as well, one whose routes take forms
 * their reader.
 */
export const serve = <const Routes extends Record<string, RouteSpec>>(
  routes: Routes,
  operations: Operations<Routes>,
  seal?: Seal,
  readMultipart?: ReadMultipart,
) => {
  const forms = Object.entries<RouteSpec>(routes).filter(([, route]) => route.accepts?.includes('multipart'));
  if (forms.length > 0 && !readMultipart) throw new Error(`${forms[0]?.[0]} takes forms: give serve readMultipart.`);
  const stack = middy<HttpEvent, HttpResult>()
    .use(requestLog() as middy.MiddlewareObj<HttpEvent, HttpResult>)
    .use(problemsToBodies() as middy.MiddlewareObj<HttpEvent, HttpResult>)
    .use(entrance() as middy.MiddlewareObj<HttpEvent, HttpResult>)
    .use(matchRoute(routes) as middy.MiddlewareObj<HttpEvent, HttpResult>)
    .use(callerAndLimit() as middy.MiddlewareObj<HttpEvent, HttpResult>)
    .use(decode(readMultipart) as middy.MiddlewareObj<HttpEvent, HttpResult>)
    .use(idempotency(seal) as middy.MiddlewareObj<HttpEvent, HttpResult>)
    .handler((event: HttpEvent) => operate(operations as unknown as Record<string, Operation>, event));
  return (event: APIGatewayProxyEventV2, context: LambdaContext): Promise<HttpResult> =>
    withLogScope({ function: context.functionName }, () =>
      withActor(() => countingReadUnits(() => stack(event as HttpEvent, context) as Promise<HttpResult>)),
    );
};

type Operation = (request: Request) => Promise<unknown>;

async function operate(operations: Record<string, Operation>, event: HttpEvent): Promise<HttpResult> {
  const { exchange } = event;
  if (exchange.storedResponse) return exchange.storedResponse;
  const { params, query, body } = parseInput(exchange);
  const operation = operations[exchange.routeName];
  if (!operation) throw new Error(`No operation for ${exchange.routeName}.`);
  const outcome = await operation({
    method: event.requestContext.http.method,
    caller: exchange.principal,
    params,
    query,
    body,
    operationId: exchange.operationId,
    once: exchange.once,
    startedAt: exchange.startedAt,
    requestId: exchange.requestId,
    url: `${publicBase(event)}${event.rawPath}`,
    rawQuery: new URLSearchParams(queryPairs(event)),
    headers: safeHeaders(event),
    cookies: cookiesOf(event),
    rawBody: exchange.rawBody,
    sourceIp: event.requestContext.http.sourceIp,
    spendCompanyLimit: async () => {
      if (!exchange.principal) return undefined;
      const spent = await countCompanyRequest(exchange.principal.companyId, exchange.route.limit);
      exchange.rate = spent.rate;
      return spent.problem;
    },
    countUnsigned: async () => exchange.countUnsigned?.(),
  } as unknown as Request);
  if (isProblem(outcome)) throw new Refusal(withUnknownFields(outcome, exchange));
  return answerResult(
    outcome as { status: number; body?: unknown; headers?: Record<string, string>; cookies?: readonly string[] },
    exchange.route,
    exchange.unknownFields,
  );
}

/** Where the outside reaches us: the operator's own domain, else the one that was called. */
function publicBase(event: HttpEvent): string {
  return optionalSetting('PUBLIC_BASE_URL') ?? `https://${event.requestContext.domainName}`;
}

/** API Gateway and function URLs hand cookies over beside the headers. */
function cookiesOf(event: HttpEvent): Record<string, string> {
  const pairs = (event.cookies ?? []).map((cookie): [string, string] => {
    const [name = '', ...value] = cookie.split('=');
    return [name.trim(), value.join('=').trim()];
  });
  return Object.fromEntries(pairs);
}

const secretHeaders = new Set(['authorization', 'cookie', 'x-secret-key', 'x-public-key', entranceHeader]);

function safeHeaders(event: HttpEvent): Record<string, string> {
  return Object.fromEntries(Object.entries(headersOf(event)).filter(([name]) => !secretHeaders.has(name)));
}
