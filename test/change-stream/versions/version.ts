import { AsyncLocalStorage } from 'node:async_hooks';
import type { Random } from '../../support/random.ts';
import { currentFunction } from '../../support/crash-points.ts';

/** Two versions of the product: of each function the one or the other is deployed, or both for as long as it is being replaced. */
export type Version = 'old' | 'new';

const invocation = new AsyncLocalStorage<{ version?: Version }>();
const deployed = new Map<string, Version | 'both'>();
const chance: { draw: Random } = { draw: () => 0 };

/** From now on: who draws which version a function runs while it is being replaced. */
export const drawVersionsBy = (random: Random): void => void (chance.draw = random);

export const deploy = (functionName: string, version: Version | 'both'): void => void deployed.set(functionName, version);

/** A hook around every invocation: it runs one version from its beginning to its end. */
export const inOneVersion = (work: () => Promise<unknown>): Promise<unknown> => invocation.run({}, work);

/** The version that the running function has; outside of one the new. */
export const versionNow = (): Version => {
  const own = invocation.getStore();
  const name = currentFunction()?.name;
  if (!own || name === undefined) return 'new';
  const of = deployed.get(name) ?? 'new';
  return (own.version ??= of === 'both' ? (chance.draw() < 0.5 ? 'old' : 'new') : of);
};
