import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Demo, demoFile } from '../../lib/local/demo-file.ts';
import { type Switchboard, switchboard } from '../../client/client.ts';
import { compileCache } from './compile-cache.ts';
import { freePort } from './emulators.ts';
import type { Answer } from './gateway-event.ts';

export interface ProductCall {
  method: string;
  /** A path, or an absolute address. */
  path: string;
  token?: string;
  headers?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | boolean>>;
  /** A text goes as it is; anything else as JSON. */
  body?: unknown;
}

/** A product that runs, as one of its demo companies sees it. */
export interface RunningProduct {
  demo: Demo;
  companyId: number;
  baseUrl: string;
  folder: string;
  http: (call: ProductCall) => Promise<Answer>;
  /** `http` with the demo company's owner as caller. */
  asOwner: (call: Omit<ProductCall, 'token'>) => Promise<Answer>;
  /** The client package, as the same caller; it never tries again by itself, so that a test sees each answer. */
  api: Switchboard;
  /** The laptop's own controls: `control('POST', 'idle', {timeout_seconds: 10})`. */
  control: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Waits until queues, stream and due work are quiet; throws when they do not become so. */
  idle: (timeoutSeconds?: number) => Promise<void>;
}

/** The product as people run it: `bin/dev.ts` in a process of its own, on a port and a folder of its own. */
export interface Product extends RunningProduct, AsyncDisposable {
  /** As the power cord: no goodbye. */
  kill: () => Promise<void>;
  /** Starts again on the same data. */
  restart: () => Promise<void>;
  stop: () => Promise<void>;
}

export interface ProductOptions {
  env?: Readonly<Record<string, string>>;
  /** How long until the ready line, milliseconds. */
  startWithinMs?: number;
  /** Starts each function beforehand, as for a developer: for measurements. In a test a function starts with its first call, and most with none. */
  warm?: boolean;
  /**
   * The simulator fails free-form messages outside the 24-hour window, as for a developer. Off, so that a test or a measurement of something else
   * can write first.
   */
  enforcesWindow?: boolean;
  /** With the third demo company, which fills itself after the ready line. */
  withExample?: boolean;
  /** Fills the data folder before the first start. */
  prepare?: (folder: string) => void;
}

export const startProduct = async (options: ProductOptions = {}): Promise<Product> => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-product-'));
  const port = await freePort();
  options.prepare?.(folder);
  let running = await launch(port, folder, options.prepare === undefined, options);
  const stop = async (): Promise<void> => {
    await end(running, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    ...productIn(folder),
    kill: () => end(running, 'SIGKILL'),
    restart: async () => {
      await end(running, 'SIGTERM');
      running = await launch(port, folder, false, options);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

/** Calls to the product whose data is in a folder, as the first or another of its demo companies. */
export const productIn = (folder: string, nth = 1): RunningProduct => {
  const demo = demoFile.parse(JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')));
  const company = demo.companies[nth - 1];
  if (!company) throw new Error(`The demo has no company ${nth}.`);
  const http = (call: ProductCall): Promise<Answer> => request(demo.base_url, call);
  const control = (method: string, path: string, body?: unknown): Promise<Answer> =>
    request(`${demo.local.control_url.replace(/\/$/, '')}/`, {
      method,
      path: path.replace(/^\//, ''),
      ...(body === undefined ? {} : { body }),
    });
  return {
    demo,
    companyId: company.id,
    api: switchboard({ baseUrl: demo.base_url, attempts: 1, token: company.tokens.owner }),
    baseUrl: demo.base_url,
    folder,
    http,
    asOwner: (call) => http({ ...call, token: company.tokens.owner }),
    control,
    idle: async (timeoutSeconds = 120) => {
      // fetch gives up a call that is not answered within five minutes
      for (let left = timeoutSeconds; ; left -= 120) {
        const answer = await control('POST', 'idle', { timeout_seconds: Math.min(left, 120) });
        if (answer.status === 200) return;
        if (left <= 120) throw new Error(`The product was not idle after ${timeoutSeconds} s: ${answer.raw}`);
      }
    },
  };
};

const root = join(import.meta.dirname, '../..');

async function launch(
  port: number,
  folder: string,
  fresh: boolean,
  { env, warm = false, enforcesWindow = false, withExample = false, startWithinMs = 170_000 }: ProductOptions,
): Promise<ChildProcess> {
  const args = [
    'bin/dev.ts',
    '--port',
    String(port),
    '--data',
    folder,
    ...(fresh ? ['--fresh'] : []),
    ...(warm ? ['--warm'] : []),
    ...(enforcesWindow ? [] : ['--no-window']),
    '--no-pages',
    ...(withExample ? [] : ['--no-example']),
  ];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...compileCache, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const endWithUs = (): boolean => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  child.once('exit', () => process.off('exit', endWithUs));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`The product ${why}. It said:\n${output.slice(-4_000)}`));
    const timer = setTimeout(() => fail(`was not ready after ${startWithinMs} ms`), startWithinMs);
    const receive = (data: Buffer): void => {
      output = (output + data.toString()).slice(-100_000);
      if (!/^ready/m.test(output)) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout.on('data', receive);
    child.stderr.on('data', receive);
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with ${code} before it was ready`);
    });
  }).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(late);
}

async function request(base: string, call: ProductCall): Promise<Answer> {
  const address = new URL(call.path, base);
  for (const [name, value] of Object.entries(call.query ?? {})) address.searchParams.append(name, String(value));
  const text = typeof call.body === 'string' ? call.body : undefined;
  const isJson = call.body !== undefined && text === undefined;
  const answer = await fetch(address, {
    method: call.method,
    headers: {
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...(call.token ? { authorization: `Bearer ${call.token}` } : {}),
      ...call.headers,
    },
    ...(call.body === undefined ? {} : { body: text ?? JSON.stringify(call.body) }),
  });
  const raw = await answer.text();
  let body: unknown;
  try {
    body = JSON.parse(raw) as unknown;
  } catch {
    body = undefined;
  }
  return { status: answer.status, headers: Object.fromEntries(answer.headers), raw, body };
}
