import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { atPoint } from './fault-points.ts';

/** Called before a call to the mail service or the bus leaves, and after it came back. Throwing makes the call fail that way. */
export type ServiceHook = (call: { command: string; when: 'before' | 'after' }) => void;

/** Runs the hook on every call to the mail service and the bus; ends when disposed. */
export const onServices = (hook: ServiceHook): Disposable => {
  install();
  hooks.add(hook);
  return { [Symbol.dispose]: () => hooks.delete(hook) };
};

const hooks = new Set<ServiceHook>();
let installed = false;

/** Their clients are private to the gateways, so the classes are watched. */
function install(): void {
  if (installed) return;
  installed = true;
  for (const client of [SESv2Client, EventBridgeClient]) {
    const prototype = client.prototype as unknown as { send: (...args: unknown[]) => Promise<unknown> };
    const send = prototype.send;
    prototype.send = async function (this: object, command: unknown, ...rest: unknown[]) {
      const name = (command as object).constructor.name.replace(/Command$/, '');
      for (const hook of hooks) await atPoint('before', name, {}, () => hook({ command: name, when: 'before' }));
      const result = await send.call(this, command, ...rest);
      for (const hook of hooks) await atPoint('after', name, {}, () => hook({ command: name, when: 'after' }));
      return result;
    };
  }
}
