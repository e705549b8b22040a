import type { HttpFunction } from '../../shared/contract/context.ts';
import { methodsOfRoute } from '../../shared/http/match.ts';

/** One method at one path, and where it is served. */
export interface Address {
  method: string;
  path: string;
  via: 'api' | 'url';
}

/** Every address of a function: each route's path and aliases, and HEAD where there is GET. Throws when two routes have the same. */
export const addressesOf = (functions: readonly HttpFunction[]): Map<HttpFunction, Address[]> => {
  const owners = new Map<string, string>();
  return new Map(functions.map((spec) => [spec, Object.entries(spec.routes).flatMap(([name, route]) => addresses(spec, name, route))]));

  function addresses(spec: HttpFunction, name: string, route: HttpFunction['routes'][string]): Address[] {
    return [route.path, ...(route.aliases ?? [])].flatMap((path) =>
      methodsOfRoute(route).map((method) => {
        const owner = owners.get(`${method} ${path}`);
        if (owner !== undefined) throw new Error(`${method} ${path} is declared twice: by ${owner} and by ${spec.name}/${name}.`);
        owners.set(`${method} ${path}`, `${spec.name}/${name}`);
        return { method, path, via: route.via ?? 'api' };
      }),
    );
  }
};

export const routeKey = ({ method, path }: Address): string => `${method} ${path}`;
