import type { HttpFunction } from '../../shared/contract/context.ts';
import { methodsOfRoute } from '../../shared/http/match.ts';

/** A path, the methods its routes take, and where it is served. */
export interface Address {
  path: string;
  methods: readonly string[];
  via: 'api' | 'url';
}

/**
 * The paths of each function, with aliases. One function serves all methods of a path: its router answers HEAD, OPTIONS and 405. Throws
 * when two routes take the same method at a path, or two functions the same path.
 */
export const addressesOf = (functions: readonly HttpFunction[]): Map<HttpFunction, Address[]> => {
  const owners = new Map<string, HttpFunction>();
  return new Map(functions.map((spec) => [spec, addresses(spec)]));

  function addresses(spec: HttpFunction): Address[] {
    const byPath = new Map<string, Address>();
    const declared = new Map<string, string>();
    for (const [name, route] of Object.entries(spec.routes)) {
      for (const path of [route.path, ...(route.aliases ?? [])]) {
        const via = route.via ?? 'api';
        const known = byPath.get(path);
        const owner = owners.get(path) ?? spec;
        if (owner !== spec) throw new Error(`${path} is served by two functions: ${owner.name} and ${spec.name}.`);
        if (known && known.via !== via) throw new Error(`${path} of ${spec.name} is served both by the API and by a function URL.`);
        for (const method of methodsOfRoute(route)) {
          const other = declared.get(`${method} ${path}`);
          if (other !== undefined)
            throw new Error(`${method} ${path} is declared twice: by ${spec.name}/${other} and by ${spec.name}/${name}.`);
          declared.set(`${method} ${path}`, name);
        }
        owners.set(path, spec);
        byPath.set(path, { path, via, methods: [...(known?.methods ?? []), ...methodsOfRoute(route)] });
      }
    }
    return [...byPath.values()];
  }
};

/** API Gateway's key of an address: every method at its path. */
export const routeKey = ({ path }: Pick<Address, 'path'>): string => `ANY ${path}`;

/** The keys by which the API leads to a function: its addresses, those of its own URL too, and the fallback. */
export const apiKeys = (spec: HttpFunction, addresses: readonly Address[]): string[] => {
  const byUrl = addresses.filter(({ via }) => via === 'url').map(({ path }) => path);
  const families = spec.apiPaths?.filter(isFamily) ?? [];
  const byApi = addresses.filter(({ via, path }) => via === 'api' && !families.some((family) => covers(family, path)));
  const served = [...byApi.map(({ path }) => path), ...(spec.apiPaths ?? byUrl)];
  const missing = byUrl.find((path) => !served.some((each) => covers(each, path)));
  if (missing !== undefined) throw new Error(`No API path of ${spec.name} leads to ${missing}.`);
  return [...served.map((path) => routeKey({ path })), ...(spec.fallback ? ['$default'] : [])];
};

/** Whether a path stands for all below it: `/api/v1/tokens/{rest+}`. */
const isFamily = (path: string): boolean => path.endsWith('+}');

/** Whether a path with `{names}` takes every address of another. */
function covers(pattern: string, path: string): boolean {
  const [parts, others] = [pattern.split('/'), path.split('/')];
  if (isFamily(pattern)) return others.length >= parts.length && parts.slice(0, -1).every((part, index) => part === others[index]);
  return parts.length === others.length && parts.every((part, index) => part === others[index] || /^\{[^}]+\}$/.test(part));
}
