import { Readable } from 'node:stream';

/**
 * A process that runs the command line many times: each command gets its own arguments, output, exit code, and the environment and clock of a new process.
 * Only modules are shared, whose loading takes most of a command's time. See command-line.ts.
 */
const env = { ...process.env };
const { Date: date } = globalThis;

process.on('message', (command: { args: string[]; env: Record<string, string> }) => void runCommand(command.args, command.env));

async function runCommand(args: readonly string[], more: Readonly<Record<string, string>>): Promise<void> {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env, more);
  globalThis.Date = date;
  process.argv = [process.execPath, 'bin/admin.ts', ...args];
  process.exitCode = 0;
  Object.defineProperty(process, 'stdin', { value: Readable.from([]), configurable: true });
  const output = { out: '', err: '' };
  process.stdout.write = capture((text) => (output.out += text));
  process.stderr.write = capture((text) => (output.err += text));
  // evaluated anew under another name
  await import(`../../bin/admin.ts?command=${crypto.randomUUID()}`);
  process.send?.({ code: process.exitCode, ...output });
}

function capture(write: (text: string) => void): typeof process.stdout.write {
  return ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    write(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    const done = rest.at(-1);
    if (typeof done === 'function') (done as () => void)();
    return true;
  }) as typeof process.stdout.write;
}
