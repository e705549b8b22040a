import type { NestedStack } from 'aws-cdk-lib';
import type { CfnStage, HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import type { FunctionSpec, HttpFunction } from '../../shared/contract/context.ts';
import { type Address, routeKey } from './addresses.ts';
import type { Settings } from './settings.ts';

/**
 * Where callers without a valid credential get in: function URLs, routes without a token, unknown paths. Each has a cap of its own, so that
 * a flood there leaves the rest to all others, and what sends messages and codes has a floor that no other function can take.
 * See docs/decisions/open-edges.md.
 */

/** Parts of the account's concurrency, in percent, of functions that declare none. */
const shares = { url: 3, open: 2, floor: 8 } as const;

/** AWS keeps so many for the functions that have none reserved. */
export const leastUnreserved = 100;

/** Reserved concurrency by function: a cap and a floor in one. None in an account too small for it. */
export const reservedConcurrency = (functions: readonly FunctionSpec[], settings: Settings): ReadonlyMap<string, number> => {
  const reserved = new Map(
    functions.flatMap((spec): [string, number][] => {
      const count = settings.reserved[spec.name] ?? reservedFor(spec, settings.accountConcurrency);
      return count === undefined ? [] : [[spec.name, count]];
    }),
  );
  return sumOf(reserved) + leastUnreserved > settings.accountConcurrency ? new Map() : reserved;
};

/** What the stack reserves of the account's concurrency in all. */
export const reservedTogether = (functions: readonly FunctionSpec[], settings: Settings): number =>
  sumOf(reservedConcurrency(functions, settings));

/** Lambda starts at most ten times as many calls of a function in a second as it may run at once, however short they are. */
export const callsPerSecond = (reserved: number): number => 10 * reserved;

const sumOf = (reserved: ReadonlyMap<string, number>): number => [...reserved.values()].reduce((total, count) => total + count, 0);

/** Throws when it is the stage's `workers` or `reserved` that leave nothing to reserve: all sends would lose their floor without a word. */
export const assertFloors = (asDeclared: readonly FunctionSpec[], reserved: ReadonlyMap<string, number>, settings: Settings): void => {
  if (reserved.size > 0 || reservedConcurrency(asDeclared, { ...settings, reserved: {} }).size === 0) return;
  throw new Error(
    `workers, reserved: accountConcurrency, ${settings.accountConcurrency}, is too small for so many and for the floors of what sends: ` +
      'request more from AWS, or have fewer.',
  );
};

function reservedFor(spec: FunctionSpec, concurrency: number): number | undefined {
  // fewer than its queue may start would throttle the queue
  if (spec.trigger === 'queue') return spec.hasFloor ? spec.maxConcurrency : undefined;
  const share = spec.share ?? (spec.trigger === 'http' ? shareOfKind(spec) : undefined);
  return share && Math.floor((concurrency * share) / 100);
}

const shareOfKind = (spec: HttpFunction): number | undefined =>
  spec.hasFloor ? shares.floor : hasUrl(spec) ? shares.url : isOpen(spec) ? shares.open : undefined;

const hasUrl = ({ routes }: HttpFunction): boolean => Object.values(routes).some(({ via }) => via === 'url');

/** Whether it does something for a caller without a secret. The key of a verification profile is public. */
const isOpen = ({ routes, fallback }: HttpFunction): boolean =>
  fallback === true || Object.values(routes).some(({ caller }) => caller.kind === 'public' || caller.kind === 'public_key');

/** Requests per second of all callers together: of one open path, and of all unknown ones. */
const openThrottle = { ThrottlingRateLimit: 200, ThrottlingBurstLimit: 400 };
/** Of a path with files of a megabyte: what a stranger can make the account pay for their transfer. */
const staticThrottle = { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 100 };
const unknownThrottle = { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 };

/** Throttles for the paths whose routes take no credential, and for those that no route has. The stage must know the routes first. */
export const throttleOpenRoutes = (
  stage: HttpStage,
  routes: NestedStack,
  addresses: ReadonlyMap<HttpFunction, readonly Address[]>,
): void => {
  const limited = Object.fromEntries(
    [...addresses].flatMap(([spec, own]) => [
      ...own
        .filter((address) => isPublic(spec, address))
        .map((address) => [routeKey(address), isStatic(spec, address) ? staticThrottle : openThrottle]),
      ...(spec.fallback ? [['$default', unknownThrottle]] : []),
    ]),
  );
  (stage.node.defaultChild as CfnStage).routeSettings = limited;
  stage.node.addDependency(routes);
};

const isPublic = ({ routes }: HttpFunction, { path }: Address): boolean =>
  Object.values(routes).every((route) => ![route.path, ...(route.aliases ?? [])].includes(path) || route.caller.kind === 'public');

const isStatic = ({ routes }: HttpFunction, { path }: Address): boolean =>
  Object.values(routes).some((route) => route.path === path && route.isStatic === true);
