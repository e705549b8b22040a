import { AsyncLocalStorage } from 'node:async_hooks';

/** Who makes a change: a caller of the API, an operator at the command line, or a worker. */
export interface Actor {
  via: 'api' | 'command_line' | 'system';
  userId?: number;
  credentialId?: number;
  credentialKind?: string;
  /** The name of the operator's account on their computer. */
  operator?: string;
  requestId?: string;
}

const scope = new AsyncLocalStorage<Actor>();
let ofProcess: Actor = { via: 'system' };

/** Runs a request, whose caller is set once it is authenticated. */
export const withActor = <T>(work: () => T): T => scope.run({ via: 'system' }, work);

export const setActor = (actor: Actor): void => {
  const current = scope.getStore();
  if (current) Object.assign(current, actor);
};

/** For a process that serves one operator. */
export const setProcessActor = (actor: Actor): void => {
  ofProcess = actor;
};

export const currentActor = (): Actor => scope.getStore() ?? ofProcess;
