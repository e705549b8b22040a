import dns, { Resolver } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { isIP } from 'node:net';

/**
 * No test calls the outside: in a test's process a name is found only if it is the machine's own. All others are unknown, at once, wherever tests run: without
 * this, a test without a provider of its own would call the real one, or wait five seconds for a name server that does not answer.
 */
export const hideOutsideNames = (): void => {
  if (ofProcess[hiddenKey]) return;
  ofProcess[hiddenKey] = true;
  const { lookup } = dns;
  const lookupOwn = (name: string, ...rest: unknown[]): void => {
    if (isOwn(name)) return Reflect.apply(lookup, dns, [name, ...rest]) as void;
    notFound('getaddrinfo', name, rest);
  };
  dns.lookup = lookupOwn as typeof lookup;
  Object.assign(Resolver.prototype, {
    resolve4: (name: string, ...rest: unknown[]): void => notFound('queryA', name, rest),
    resolve6: (name: string, ...rest: unknown[]): void => notFound('queryAaaa', name, rest),
  });
  // modules that imported a function by its name see the new one
  syncBuiltinESMExports();
};

const hiddenKey = Symbol.for('switchboard.outside-names');
const ofProcess = process as typeof process & { [hiddenKey]?: boolean };

const isOwn = (name: string): boolean => isIP(name) !== 0 || name === 'localhost';

type Done = (error: NodeJS.ErrnoException) => void;

function notFound(call: string, name: string, rest: readonly unknown[]): void {
  const done = rest.at(-1) as Done;
  const error = Object.assign(new Error(`${call} ENOTFOUND ${name}`), { code: 'ENOTFOUND', syscall: call, hostname: name });
  process.nextTick(done, error);
}
