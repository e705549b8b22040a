import type { RouteSpec } from '../contract/route.ts';
import { Refusal } from './exchange.ts';
import type { HttpEvent, Middleware } from './exchange.ts';

/** Finds the route of an event: by API Gateway's route key, or by the path where a function URL gives none. HEAD answers as GET. */
export const matchRoute = (routes: Readonly<Record<string, RouteSpec>>): Middleware => {
  const table = Object.entries(routes).flatMap(([name, route]) =>
    [route.path, ...(route.aliases ?? [])].map((path) => ({
      name,
      route,
      methods: methodsOfRoute(route),
      key: `${route.method} ${path}`,
      pattern: pathPattern(path),
    })),
  );
  const byKey = new Map(table.map((entry) => [entry.key, entry]));

  return {
    before: ({ event }) => {
      const { method } = event.requestContext.http;
      const keyed = byKey.get(event.routeKey.replace(/^HEAD /, 'GET '));
      const found = keyed ?? table.find((entry) => entry.methods.includes(method) && entry.pattern.test(event.rawPath));
      if (!found?.methods.includes(method)) throw new Refusal(noMatchProblem(table, event));
      event.exchange.route = found.route;
      event.exchange.routeName = found.name;
      event.exchange.pathParameters = keyed ? decoded(event) : (found.pattern.exec(event.rawPath)?.groups ?? {});
    },
  };
};

/** A path with `{names}` as a pattern with named groups. */
export const pathPattern = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{([a-z_]+)\}/g, '(?<$1>[^/]+)')}$`);

/** Why nothing matched: the address takes other methods (which Allow lists), or there is no such address. */
export const noMatchProblem = (table: readonly { methods: readonly string[]; pattern: RegExp }[], event: HttpEvent) => {
  const allowed = [...new Set(table.filter((entry) => entry.pattern.test(event.rawPath)).flatMap((entry) => entry.methods))];
  return allowed.length > 0
    ? { problem: 'method_not_allowed' as const, headers: { allow: [...allowed, 'OPTIONS'].join(', ') } }
    : { problem: 'route_not_found' as const };
};

/** GET routes that only read answer HEAD too; HEAD never acts (A32). */
export const methodsOfRoute = (route: Pick<RouteSpec, 'method' | 'effect'>): string[] =>
  route.method === 'GET' && route.effect === 'read' ? ['GET', 'HEAD'] : [route.method];

function decoded(event: HttpEvent): Record<string, string> {
  return Object.fromEntries(
    Object.entries(event.pathParameters ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
