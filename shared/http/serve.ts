import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context as LambdaContext } from 'aws-lambda';
import { isProblem } from '../contract/problems.ts';
import type { Operations, Request, RouteSpec } from '../contract/route.ts';
import { countCompanyRequest } from '../access/credential.ts';
import { withActor } from '../runtime/actor.ts';
import { runFields, withLogScope } from '../runtime/log.ts';
import { countingReadUnits } from '../table/read-units.ts';
import { answerResult } from './answer.ts';
import { decode, queryPairs } from './decode.ts';
import { cookiesOf, headersOf, type HttpEvent, type HttpResult, publicBase, RefusedRequest, type RoutedEvent } from './exchange.ts';
import { idempotency, type Seal } from './idempotency.ts';
import type { ReadMultipart } from './multipart.ts';
import { matchRoute } from './match.ts';
import { parseInput, withUnknownFields } from './parse.ts';
import { callerAndLimit, type OwnCallsOf } from './caller.ts';
import { closedTable } from './closed-table.ts';
import { requestRecord } from './log-request.ts';
import { entranceHeader } from './entrance.ts';
import { entrance, problemsToBodies, requestLog } from './stages.ts';

/** What a function adds to the stack: forms need their reader, secret routes the seal of their stored answers, sign-in who it knows. */
interface ServeOptions {
  seal?: Seal;
  readMultipart?: ReadMultipart;
  ownCalls?: OwnCallsOf;
}

/** The handler of a function; `stages` are the names of the stages, in the order in which a request passes them. */
export type Handler = ((event: APIGatewayProxyEventV2, context: LambdaContext) => Promise<HttpResult>) & { stages: readonly string[] };

/**
 * The one HTTP stack: request id and log, the company's own log, problems, entrance, route, closed table, caller and limit, decode, idempotency, then parse, operation, reply.
 * A function's whole handler is `serve(routes, operations)`.
 */
export const serve = <const Routes extends Record<string, RouteSpec>>(
  routes: Routes,
  operations: Operations<Routes>,
  { seal, readMultipart, ownCalls }: ServeOptions = {},
): Handler => {
  const forms = Object.entries<RouteSpec>(routes).filter(([, route]) => route.accepts?.includes('multipart'));
  if (forms.length > 0 && !readMultipart) throw new Error(`${forms[0]?.[0]} takes forms: give serve readMultipart.`);
  const stages = {
    requestLog: requestLog(),
    requestRecord: requestRecord(),
    problemsToBodies: problemsToBodies(),
    entrance: entrance(),
    matchRoute: matchRoute(routes),
    closedTable: closedTable(),
    callerAndLimit: callerAndLimit(ownCalls),
    decode: decode(readMultipart),
    idempotency: idempotency(seal),
  };
  const stack = middy<HttpEvent, HttpResult>()
    .use(Object.values(stages) as middy.MiddlewareObj<HttpEvent, HttpResult>[])
    .handler((event) => operate(operations as unknown as Record<string, Operation>, event as RoutedEvent));
  const handler = (event: APIGatewayProxyEventV2, context: LambdaContext): Promise<HttpResult> =>
    withLogScope(runFields(context), () =>
      withActor(() => countingReadUnits(() => stack(event as HttpEvent, context) as Promise<HttpResult>)),
    );
  return Object.assign(handler, { stages: Object.keys(stages) });
};

type Operation = (request: Request) => Promise<unknown>;

async function operate(operations: Record<string, Operation>, event: RoutedEvent): Promise<HttpResult> {
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
  if (isProblem(outcome)) throw new RefusedRequest(withUnknownFields(outcome, exchange));
  return answerResult(
    outcome as { status: number; body?: unknown; headers?: Record<string, string>; cookies?: readonly string[] },
    exchange.route,
    exchange,
  );
}

const secretHeaders = new Set(['authorization', 'cookie', 'x-secret-key', 'x-public-key', entranceHeader]);

function safeHeaders(event: HttpEvent): Record<string, string> {
  return Object.fromEntries(Object.entries(headersOf(event)).filter(([name]) => !secretHeaders.has(name)));
}
