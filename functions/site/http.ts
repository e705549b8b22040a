import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context as LambdaContext } from 'aws-lambda';
import { problem } from '../../shared/contract/problems.ts';
import { type HttpEvent, type HttpResult, RefusedRequest } from '../../shared/http/exchange.ts';
import { problemsToBodies, requestLog } from '../../shared/http/stages.ts';
import { runFields, withLogScope } from '../../shared/runtime/log.ts';

/** Answers 404 for every path that no route has, in the API's own error body; the reference is also found with a slash at its end. */
export const handler = (event: APIGatewayProxyEventV2, context: LambdaContext): Promise<HttpResult> =>
  withLogScope(runFields(context), () => stack(event as HttpEvent, context) as Promise<HttpResult>);

const stack = middy<HttpEvent, HttpResult>()
  .use(requestLog() as middy.MiddlewareObj<HttpEvent, HttpResult>)
  .use(problemsToBodies() as middy.MiddlewareObj<HttpEvent, HttpResult>)
  .handler(({ rawPath, requestContext: { http } }) => {
    if (rawPath === '/docs/' && ['GET', 'HEAD'].includes(http.method))
      return { statusCode: 308, headers: { location: '/docs' } } satisfies HttpResult;
    throw new RefusedRequest(problem('route_not_found'));
  });
