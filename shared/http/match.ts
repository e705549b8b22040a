import type { RouteSpec } from '../contract/route.ts';
import { problem } from '../contract/problems.ts';
import { EarlyAnswer, type HttpEvent, type Middleware, RefusedRequest } from './exchange.ts';

/**
 * Finds the route of an event: by the path in API Gateway's route key, or by the path as sent where a function URL gives none. HEAD is
 * answered as GET, OPTIONS with the methods of the path, another method with 405.
 */
export const matchRoute = (routes: Readonly<Record<string, RouteSpec>>): Middleware<HttpEvent> => {
  const table = Object.entries(routes).flatMap(([name, route]) =>
    [route.path, ...(route.aliases ?? [])].map((path) => ({
      name,
      route,
      path,
      methods: methodsOfRoute(route),
      pattern: pathPattern(path),
    })),
  );
  const byPath = Map.groupBy(table, ({ path }) => path);

  return {
    before: ({ event }) => {
      const { method } = event.requestContext.http;
      const keyed = byPath.get(event.routeKey.replace(/^\S+ /, ''));
      // an address that was put together with one slash too many means the same; a function URL takes any path
      const path = event.rawPath.replace(/^\/+/, '/');
      const candidates = keyed ?? table.filter(({ pattern }) => pattern.test(path));
      // one key may stand for many paths: of those that fit, the one with the fewest parameters is meant
      const found = candidates
        .filter(({ methods }) => methods.includes(method))
        .toSorted((a, b) => parameterCount(a.path) - parameterCount(b.path))[0];
      if (!found) throw otherwise(method, [...new Set(candidates.flatMap(({ methods }) => methods))]);
      event.exchange.route = found.route;
      event.exchange.routeName = found.name;
      event.exchange.pathParameters = keyed ? decoded(event) : (found.pattern.exec(path)?.groups ?? {});
    },
  };
};

const parameterCount = (path: string): number => path.split('{').length - 1;

/** A path with `{names}` as a pattern with named groups. */
export const pathPattern = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{([a-z_]+)\}/g, '(?<$1>[^/]+)')}$`);

/** The answer where no route takes the method: its methods for OPTIONS, else 405; 404 where nothing has the path. */
function otherwise(method: string, methods: readonly string[]): Error {
  if (methods.length === 0) return new RefusedRequest(problem('route_not_found'));
  const headers = { allow: [...methods, 'OPTIONS'].join(', ') };
  return method === 'OPTIONS'
    ? new EarlyAnswer({ statusCode: 204, headers })
    : new RefusedRequest({ ...problem('method_not_allowed'), headers });
}

/** GET routes that only read answer HEAD too; HEAD never acts (A32). */
export const methodsOfRoute = (route: Pick<RouteSpec, 'method' | 'effect'>): string[] =>
  route.method === 'GET' && route.effect === 'read' ? ['GET', 'HEAD'] : [route.method];

function decoded(event: HttpEvent): Record<string, string> {
  return Object.fromEntries(
    Object.entries(event.pathParameters ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
