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
    throw new RefusedRequest(problem('route_not_found', hintsFor(rawPath)));
  });

/** What is unusual about a path that is not there: mistakes of callers, not of addresses, so that no list of them has to be here. */
function hintsFor(path: string): { message?: string } {
  const wrong = [
    path !== '/' && path.endsWith('/') ? 'have no slash at the end' : undefined,
    path.includes('//') ? 'have no two slashes in a row' : undefined,
    /^\/(api\/)?v\d+\//.test(path) && !path.startsWith('/api/v1/') ? 'begin with /api/v1' : undefined,
    /^\/(?!api\/|shop\/|docs)/i.test(path) ? 'begin with /api/v1, or with /api/shop for an ERP' : undefined,
    /[A-Z]/.test(path) ? 'are in lower case' : undefined,
  ].filter((each) => each !== undefined);
  return wrong.length === 0 ? {} : { message: `There is no such endpoint. Paths ${wrong.join(' and ')}.` };
}
