import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context as LambdaContext } from 'aws-lambda';
import { type HttpEvent, type HttpResult, Refusal } from '../../shared/http/exchange.ts';
import { pathPattern, noMatchProblem } from '../../shared/http/match.ts';
import { problemsToBodies, requestLog } from '../../shared/http/stages.ts';
import { withLogScope } from '../../shared/runtime/log.ts';
import { frontRoutes } from './routes.generated.ts';

/** The fallback of the API: OPTIONS lists a path's methods, a wrong method is 405 with Allow, an unknown path is 404. */
export const handler = (event: APIGatewayProxyEventV2, context: LambdaContext): Promise<HttpResult> =>
  withLogScope({ function: context.functionName }, () => stack(event as HttpEvent, context) as Promise<HttpResult>);

const table = frontRoutes.map(([methods, path]) => ({ methods: methods.split(','), pattern: pathPattern(path) }));

const stack = middy<HttpEvent, HttpResult>()
  .use(requestLog() as middy.MiddlewareObj<HttpEvent, HttpResult>)
  .use(problemsToBodies() as middy.MiddlewareObj<HttpEvent, HttpResult>)
  .handler(rejectUnmatched);

function rejectUnmatched(event: HttpEvent): HttpResult {
  const refusal = noMatchProblem(table, event);
  if (event.requestContext.http.method === 'OPTIONS' && refusal.headers) return { statusCode: 204, headers: refusal.headers };
  throw new Refusal(refusal);
}
